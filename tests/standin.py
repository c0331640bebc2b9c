"""A stand-in for the agent: a program that notes how it was called, and what terminal it found."""

import json
import stat
from pathlib import Path
from typing import Any

SCRIPT = """#!/usr/bin/env python3
import json, os, sys, termios
if sys.argv[1:] == ["--help"]:
    print(os.environ.get("STANDIN_HELP", ""))
    sys.exit(0)
canonical = None
if os.isatty(0):
    modes = termios.tcgetattr(0)[3]
    canonical = bool(modes & termios.ICANON and modes & termios.ECHO)
with open(os.environ["STANDIN_NOTES"], "a") as notes:
    notes.write(json.dumps({
        "arguments": sys.argv[1:],
        "home": os.environ.get("HERMES_HOME"),
        "folder": os.getcwd(),
        "canonical": canonical,
    }) + "\\n")
print("AGENT SPEAKING")
sys.exit(int(os.environ.get("STANDIN_CODE", "0")))
"""


class StandIn:
    """Where the stand-in is and what it noted."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "notes.jsonl"
        program = folder / "bin" / "hermes"
        program.parent.mkdir()
        program.write_text(SCRIPT)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.environment = {"STANDIN_NOTES": str(self._notes)}
        self.bin = program.parent

    def calls(self) -> list[dict[str, Any]]:
        if not self._notes.exists():
            return []
        return [json.loads(line) for line in self._notes.read_text().splitlines()]
