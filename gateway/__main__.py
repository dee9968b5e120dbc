"""`python -m gateway` is the command `daybook`."""

from gateway.cli import main

main()
