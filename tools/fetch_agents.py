"""Fetch the real agents, so that tests can run the programs that write the state files.

Each wheel is unpacked, without its dependencies, into a folder of its own: their pins clash with
ours, and reading and writing a state file needs the standard library alone. An agent that cannot
be downloaded is named and left out; the tests that need it are skipped and say so.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

AGENTS = (
    ("hermes-agent", "0.13.0"),
    ("hermes-agent", "0.17.0"),
    ("hermes-agent", "0.19.0"),
    ("power-loop", "0.2.0"),
    ("power-loop", "8.0.0"),
)


def fetch(name: str, version: str, folder: Path) -> bool:
    """Unpack one agent into `folder`; True when it is there afterwards."""
    if folder.is_dir():
        return True
    with tempfile.TemporaryDirectory() as download:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        got = subprocess.run([*pip, "--no-deps", "-d", download, f"{name}=={version}"], check=False)
        wheels = list(Path(download).glob("*.whl"))
        if got.returncode or not wheels:
            return False
        unpacked = folder.with_name(folder.name + ".part")
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(unpacked)
        unpacked.rename(folder)
    return True


def main(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, version in AGENTS:
        if not fetch(name, version, root / f"{name}-{version}"):
            print(f"{name} {version} cannot be downloaded: its tests are skipped.", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
