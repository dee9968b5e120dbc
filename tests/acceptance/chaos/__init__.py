"""Faults put into real processes, from outside: does what was accepted come through, once?

`python -m tests.acceptance.chaos` starts the Procfile's processes on embedded servers of its own, and for each point
feeds the same runs into a fresh tenant, does its harm, sees that whatever died is started again, and compares the end
state with one that nobody disturbed. A family of points is a module here, named in `points.FAMILIES`.
"""
