"""The surroundings in which a user starts the app: byte code compiled, no setting of a developer.

Compiling at each start would double every figure, and a home with settings or state files would
make them differ from one person to the next.
"""

import compileall
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import explorer

PERSONAL = ("PYTHON", "TEXTUAL", "HERMES", "SESSION_EXPLORER", "XDG_")
"""How the names of variables begin that change what a child does."""

PYTHON = sys.executable
APP = str(Path(sys.executable).with_name("session-explorer"))


@contextmanager
def surroundings() -> Iterator[None]:
    """An empty home and a neutral environment, for this process and its children."""
    compileall.compile_dir(Path(explorer.__file__).parent, quiet=2)
    before = dict(os.environ)
    for name in before:
        if name.startswith(PERSONAL):
            del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="bench-home-") as home:
        os.environ["HOME"] = home
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
