"""`python -m explorer` is the same as `session-explorer`."""

from explorer.cli import run

run()
