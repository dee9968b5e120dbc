"""The cold path: jobs that run on a schedule or on an operator's word."""
