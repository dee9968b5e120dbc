"""The only door to the queue. A message is a doorbell: it carries ids, and losing it loses nothing."""
