"""Why a server cannot be read: from the driver's errors to sentences with advice.

The server has a code for each error (SQLSTATE); before the login there is only libpq's text.
Neither the server nor libpq quotes a password, but a part of an address that was misread may be
one, so their words are scrubbed.
"""

import re

import psycopg

from explorer.errors import Problem, ServerError, StoreError
from explorer.render.clean import clean_line
from explorer.stores.postgres.secrets import scrubbed

_DETAIL = 300
"""Characters of the server's own words."""

ADVICE: dict[Problem, tuple[str, str]] = {
    Problem.UNREACHABLE: (
        "Cannot reach the server",
        "No connection to {server}: {detail}. Check that the server is running, and the host and"
        " port of the address.",
    ),
    Problem.LOGIN_REFUSED: (
        "Login refused",
        "{server} refuses the login: {detail}. Check the user, and the password in PGPASSWORD, the"
        " pgpass file or the address.",
    ),
    Problem.NO_DATABASE: (
        "No such database",
        "{server} cannot be opened: {detail}. Check the name at the end of the address.",
    ),
    Problem.INSECURE: (
        "No secure connection",
        "No TLS connection to {server}: {detail}. Check sslmode and sslrootcert in the address.",
    ),
    Problem.NO_PERMISSION: (
        "Permission denied",
        "The user of {server} may not read the tables: {detail}. Ask for USAGE on the schema and"
        " SELECT on its tables.",
    ),
    Problem.TIMED_OUT: (
        "The server took too long",
        "{server} did not answer in time, so the query was cancelled: {detail}. Try again when the"
        " server is less busy.",
    ),
    Problem.BUSY: (
        "The server is busy",
        "{server} cannot be read now: {detail}. Try again in a moment.",
    ),
    Problem.NOT_A_STORE: (
        "No sessions in this database",
        "{server} has no session tables of power-loop in a schema of the search path that its user"
        " may read. Check the database and the rights of the user, or name the schema:"
        " ?search_path=SCHEMA.",
    ),
    Problem.UNREADABLE: (
        "Cannot read the database",
        "Reading {server} failed: {detail}. Nothing was changed; check the parameters of the"
        " address and the log of the server.",
    ),
}

_BY_CODE = {
    "57014": Problem.TIMED_OUT,
    "55P03": Problem.BUSY,
    "25P03": Problem.BUSY,
    "40001": Problem.BUSY,
    "40P01": Problem.BUSY,
    "53300": Problem.BUSY,
    "57P03": Problem.BUSY,
    "57P01": Problem.UNREACHABLE,
    "57P02": Problem.UNREACHABLE,
    "57P05": Problem.UNREACHABLE,
    "3D000": Problem.NO_DATABASE,
    "42501": Problem.NO_PERMISSION,
}
_BY_CLASS = {"08": Problem.UNREACHABLE, "28": Problem.LOGIN_REFUSED, "53": Problem.BUSY}

_BY_TEXT = (
    (Problem.BUSY, ("too many clients", "too many connections", "remaining connection slots")),
    (Problem.BUSY, ("starting up", "shutting down", "in recovery mode")),
    (Problem.LOGIN_REFUSED, ("authentication failed", "no password supplied", "pg_hba.conf")),
    (Problem.LOGIN_REFUSED, ("not permitted to log in", "role ", "authentication method")),
    (Problem.INSECURE, ("certificate", "SSL", "TLS", "sslmode")),
    (Problem.UNREADABLE, ("connection is bad: invalid", "invalid connection option")),
    (Problem.NO_DATABASE, ("database ",)),
)
"""What libpq says before a login, in its own order: a refusal by pg_hba.conf names the database and
whether there was encryption."""

_UNKNOWN_TABLES = ("42P01", "42703", "3F000")
_NO_SUCH_LETTER = ("22021", "22P05")


def server_error(problem: Problem, server: str, detail: str = "") -> StoreError:
    title, message = ADVICE[problem]
    said = clean_line(scrubbed(detail), _DETAIL).rstrip(". ")
    return ServerError(problem, title, message.format(server=server, detail=said or "no reason"))


def explain(error: psycopg.Error, server: str) -> StoreError:
    """The words for this error; an unknown one keeps the server's own."""
    return server_error(problem_of(error), server, _words(error))


def problem_of(error: psycopg.Error) -> Problem:
    code = error.sqlstate
    if code is not None:
        return _BY_CODE.get(code) or _BY_CLASS.get(code[:2], Problem.UNREADABLE)
    if not isinstance(error, psycopg.OperationalError):
        return Problem.UNREADABLE
    text = str(error)
    if not isinstance(error, psycopg.errors.ConnectionTimeout):
        for problem, signs in _BY_TEXT:
            if any(sign in text for sign in signs) and ("FATAL" in text or signs[0] != "role "):
                return problem
    return Problem.UNREACHABLE


_HOST_UNKNOWN = "failed to resolve host"
_AROUND = re.compile(
    r"connection (?:failed|is bad): "
    r"|connection to server (?:at|on socket) \"[^\"]*\"(?: \([^)]*\))?(?:, port \d+)? failed: "
    r"|FATAL: +"
)
"""What libpq and the driver put before the reason; the address is named already."""
_PLAIN = (
    (_HOST_UNKNOWN, "the host name cannot be found"),
    ("Connection refused", "nothing listens at this host and port"),
    ("No such file or directory", "no server listens at this socket"),
    ("timeout expired", "there was no answer in time"),
    ("connection timeout", "there was no answer in time"),
    ("no password supplied", "it asks for a password, and none was given"),
    ("server does not support SSL", "the server does not offer TLS"),
)
"""What they say of common reasons, as a person would."""


def _words(error: psycopg.Error) -> str:
    """The first line: those after it are hints, or say the same of another host. Before a login,
    libpq puts the host in front, which may have any name."""
    if error.diag.message_primary:
        return error.diag.message_primary
    said = str(error).strip().partition("\n")[0]
    said = said.rpartition("FATAL:")[2].strip() if "FATAL:" in said else said
    plain = next((words for sign, words in _PLAIN if sign in said), "")
    return plain or _AROUND.sub("", said)


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, so that another one may do."""
    code = error.sqlstate or ""
    if code:
        return code.startswith("08") or code in ("57P01", "57P02", "57P05", "25P03")
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def is_passing(error: psycopg.Error) -> bool:
    """Whether waiting a little may help."""
    return problem_of(error) is Problem.BUSY or is_lost(error)


def tables_changed(error: psycopg.Error) -> bool:
    """Whether a table or a column is not what it was when the sets of tables were read."""
    return error.sqlstate in _UNKNOWN_TABLES


def undecodable(error: psycopg.Error) -> bool:
    """Whether some text is not what the database claims to hold."""
    return error.sqlstate in _NO_SUCH_LETTER
