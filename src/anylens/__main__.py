"""`python -m anylens` is the command line."""

from anylens.cli import entry

entry()
