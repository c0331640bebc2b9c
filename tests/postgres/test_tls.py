"""Encryption is libpq's: an address says how much of it, and a wrong certificate is explained."""

import shutil
import subprocess
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from tests.conftest import Command
from tests.postgres.server import Server

CERTIFICATE = (
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
    *("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
)


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """(a certificate for this machine, its key)."""
    certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
    made = (*CERTIFICATE, "-out", str(certificate), "-keyout", str(key))
    subprocess.run(made, check=True, capture_output=True)
    return certificate, key


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_an_encrypted_server_is_read_and_a_wrong_certificate_is_refused(
    own_server: Server, tmp_path: Path, command: Command
) -> None:
    certificate, key = _certificate(tmp_path, "own")
    ((data,),) = own_server.run("SHOW data_directory")
    owner = Path(str(data)).stat()
    for path, name in ((certificate, "server.crt"), (key, "server.key")):
        there = Path(str(data)) / name
        shutil.copy(path, there)
        there.chmod(0o600)
        shutil.chown(there, owner.st_uid, owner.st_gid)
    own_server.run(
        "CREATE ROLE secured LOGIN", "ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"
    )

    def told(mode: str, root: Path | None = None, user: str = "secured") -> str:
        more = f"?sslmode={mode}" + (f"&sslrootcert={root}" if root else "")
        done = command("--db", own_server.address("postgres", user, more), "info")
        assert done.code == ExitCode.CANNOT_OPEN
        return done.err

    # What is reached has no sessions, and says so.
    assert "No sessions in this database" in told("require")
    assert "No sessions in this database" in told("verify-full", certificate)
    other, _ = _certificate(tmp_path, "other")
    assert "No TLS connection" in told("verify-full", other)
    assert "No sessions in this database" not in told("disable")
