"""What every part of Daybook stands on: the words, the rules, and the doors to the outside."""

__distribution__ = "daybook-memory"
