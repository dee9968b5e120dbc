"""The heart, pure: what is admitted, and what the operations of a stream make of its evidence.

`rules` decides on messages and on candidates, `timeline` and `resolve` on what candidates change; `opening` turns
admitted evidence into memories, `fold` is the executable model of every operation, `forgetting` plans what has to go
with a piece of evidence.
"""
