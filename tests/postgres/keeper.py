"""Starts a server, says where it is in one line, and ends it when another process has ended.

Called as `python -m tests.postgres.keeper PROGRAMS OWNER SETTINGS`. The signal USR1 restarts the
server.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.postgres.server import LOGINS, SETTINGS, free_port, make_folder, remove_folder

_DIE_WITH_PARENT = 1
LOOKS = 0.2


def _alone() -> None:
    """Whatever becomes of the keeper, the server ends with it, at once."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGQUIT)


class Keeper:
    def __init__(self, programs: Path, settings: dict[str, str]) -> None:
        self._programs = programs
        self._settings = {**SETTINGS, **settings}
        self.folder, self._user, self._group = make_folder()
        self.port = free_port()
        self._again = False
        self._over = False
        self._server: subprocess.Popen[bytes] | None = None

    def _as_user(self, start: Callable[..., Any], program: str, *arguments: str) -> Any:
        return start(
            [str(self._programs / program), *arguments],
            user=self._user,
            group=self._group,
            extra_groups=[],
            cwd=self.folder,
            env={"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", "")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_alone,
        )

    def make(self) -> None:
        data = str(self.folder / "data")
        options = ("-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        made = self._as_user(subprocess.run, "initdb", "-D", data, *options)
        assert made.returncode == 0
        (Path(data) / "pg_hba.conf").write_text(LOGINS)

    def start(self) -> None:
        settings = {**self._settings, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        data = str(self.folder / "data")
        self._server = self._as_user(subprocess.Popen, "postgres", "-D", data, *options)

    def end(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait()

    def restart_soon(self, *_: object) -> None:
        self._again = True

    def end_soon(self, *_: object) -> None:
        self._over = True

    def keep(self, owner: int) -> None:
        """Until the owner has ended, or this process is told to end."""
        while not self._over and Path(f"/proc/{owner}").exists():
            time.sleep(LOOKS)
            if self._again:
                self._again = False
                self.end()
                self.start()


def main(programs: str, owner: str, settings: str) -> None:
    keeper = Keeper(Path(programs), json.loads(settings))
    signal.signal(signal.SIGTERM, keeper.end_soon)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, keeper.restart_soon)
    try:
        keeper.make()
        keeper.start()
        where = {"port": keeper.port, "folder": str(keeper.folder), "keeper": os.getpid()}
        print(json.dumps(where), flush=True)
        keeper.keep(int(owner))
    finally:
        keeper.end()
        remove_folder(keeper.folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
