"""What is going on, on standard error: a benchmark that says nothing looks stuck."""

import sys


def say(what: str) -> None:
    print(f"bench: {what}", file=sys.stderr, flush=True)
