"""A stand-in for the agent, or for an editor: a program that notes how it was called, what terminal
it found and what file it was given."""

import json
import stat
from pathlib import Path
from typing import Any

SCRIPT = """#!/usr/bin/env python3
import json, os, signal, sys, termios
if sys.argv[1:] == ["--help"]:
    print(os.environ.get("STANDIN_HELP", ""))
    sys.exit(0)
canonical = None
if os.isatty(0):
    modes = termios.tcgetattr(0)[3]
    canonical = bool(modes & termios.ICANON and modes & termios.ECHO)
note = {
    "arguments": sys.argv[1:],
    "home": os.environ.get("HERMES_HOME"),
    "folder": os.getcwd(),
    "canonical": canonical,
}
file = sys.argv[-1]
if os.path.isfile(file):
    note["text"] = open(file, encoding="utf-8", newline="").read()
    note["modes"] = [oct(os.stat(path).st_mode & 0o777) for path in (file, os.path.dirname(file))]
    open(file + ".swp", "w").close()
if os.environ.get("STANDIN_WAIT"):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    print("WAITING FOR CONTROL+C", flush=True)
    signal.sigwait([signal.SIGINT])
with open(os.environ["STANDIN_NOTES"], "a") as notes:
    notes.write(json.dumps(note) + "\\n")
print("AGENT SPEAKING")
sys.exit(int(os.environ.get("STANDIN_CODE", "0")))
"""


class StandIn:
    """The path of the stand-in, and what it recorded."""

    def __init__(self, folder: Path, name: str = "hermes") -> None:
        self._notes = folder / "notes.jsonl"
        program = folder / "bin" / name
        program.parent.mkdir()
        program.write_text(SCRIPT)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.environment = {"STANDIN_NOTES": str(self._notes)}
        self.bin = program.parent

    def calls(self) -> list[dict[str, Any]]:
        if not self._notes.exists():
            return []
        return [json.loads(line) for line in self._notes.read_text().splitlines()]
