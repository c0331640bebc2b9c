"""Runs a command as a user who owns nothing, since root may read and write everything.

The child imports everything it needs before it drops its rights: the interpreter itself may be
where that user cannot read.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
ROOT = Path(__file__).parents[1]

_CODE = """
import importlib, os, pkgutil, sys
import explorer.cli
for module in pkgutil.walk_packages(explorer.__path__, "explorer."):
    if not module.name.startswith(("explorer.tui", "explorer.demo", "explorer.commands.open")):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
for name in explorer.arguments.commands.COMMANDS:
    explorer.arguments.commands.command_parser(name).format_help()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
sys.exit(explorer.cli.main(sys.argv[1:]))
"""


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach; whatever is forbidden in it is allowed again at last."""
    with tempfile.TemporaryDirectory(prefix="session-explorer-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            yield folder
        finally:
            for root, _, _ in os.walk(folder):
                os.chmod(root, 0o755)
                for inner in Path(root).iterdir():
                    inner.chmod(0o755)


def run_as_nobody(
    *arguments: str | Path,
    user: int = NOBODY,
    here: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
) -> "subprocess.CompletedProcess[str]":
    """As this user, in this folder."""
    return subprocess.run(
        [sys.executable, "-c", _CODE.replace("USER", str(user)), *map(str, arguments)],
        cwd=here,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
