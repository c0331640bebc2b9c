"""The server of the tests ends with them, however they end."""

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.postgres.server import Server

ROOT = Path(__file__).parents[2]
START = """
import json, os, sys
from tests.postgres.server import running
print(json.dumps(running(os.getpid()).__dict__), flush=True)
sys.stdin.read()
"""


def test_a_test_run_that_is_killed_leaves_no_server_behind(own_server: Server) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", START],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdin is not None
    server = Server(**json.loads(owner.stdout.readline()))
    process = (Path(server.folder) / "data" / "postmaster.pid").read_text().split()[0]
    owner.kill()
    owner.wait()
    owner.stdout.close()
    owner.stdin.close()
    until = time.monotonic() + 30
    while Path(server.folder).exists() or Path(f"/proc/{process}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    assert server.folder != own_server.folder
