"""How well Daybook recalls, measured on public conversations against plain baselines.

Not part of the distribution: run as `python -m bench` from the project's root. The data sets are
given by path and are only read.
"""
