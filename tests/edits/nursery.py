"""A process that has everything imported and forks a child for each job, so that killing one is
cheap. A dead child stays known by its number until it is asked for: no signal can go astray.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]

Job = Mapping[str, str | int | float]


def say(word: str) -> None:
    """One line to whoever ordered the job; never half of one."""
    os.write(1, f"{word}\n".encode())


def serve(work: Callable[[Job], None]) -> None:
    """Do every job that comes in as a line, each in a child of its own."""
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work(json.loads(line))
                status = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(status)
        say(f"pid {child}")
        sys.stdin.readline()
        _, ended = os.waitpid(child, 0)
        say(f"over {os.waitstatus_to_exitcode(ended)}")


class Nursery:
    """The same from the other side; one job at a time."""

    def __init__(self, module: str, path: Sequence[Path] = (), home: Path | None = None) -> None:
        self._module = module
        self._path = os.pathsep.join(map(str, (*path, ROOT)))
        self._home = home or ROOT
        self.pid = 0

    def __enter__(self) -> Self:
        home = str(self._home)
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            env={**os.environ, "HERMES_HOME": home, "HOME": home, "PYTHONPATH": self._path},
            # Not ours: modules of an agent may have the same names as ours, and come first.
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.pid:
            self.signal(signal.SIGKILL)
        self._process.communicate(timeout=60)

    def begin(self, **job: str | int | float) -> None:
        """Have a job begun; returns when there is somebody to be killed."""
        self._tell(json.dumps(job))
        words: list[str] = []
        while not words or not words[-1].startswith("pid "):
            words.append(self.hear())
        self.pid = int(words.pop().removeprefix("pid "))
        self._heard = words

    def hear(self) -> str:
        """The next word of the child."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the nursery itself has ended"
        return line.strip()

    def until(self, word: str) -> None:
        while word not in self._heard:
            self._heard.append(self.hear())

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def over(self) -> tuple[list[str], int]:
        """Wait for the end of the child; (all it said, how it ended)."""
        self._tell("")
        while not self._heard or not self._heard[-1].startswith("over "):
            self._heard.append(self.hear())
        self.pid = 0
        return self._heard[:-1], int(self._heard[-1].removeprefix("over "))

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
