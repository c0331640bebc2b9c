"""Open the app: on the user's own state file, or on the demo when there is none."""

import argparse


def open_app(options: argparse.Namespace, now: float) -> int:
    raise NotImplementedError
