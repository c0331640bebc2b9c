"""The address of a database on a server, as power-loop takes it: `postgresql://…`.

It is taken apart here and given to libpq by keywords, so that both agree on where the password
ends. As with power-loop, a suffix of the scheme (`+asyncpg`) means nothing, and a parameter that
libpq does not know is a setting of the server (`?search_path=team`). Nothing of a refused address
is quoted: any part of it may be a piece of the password.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from explorer.errors import UsageError
from explorer.render.clean import clean_line
from explorer.stores.postgres.secrets import remember

LONGEST = 8_000
"""Characters of an address; no real one is a tenth as long."""
DEFAULT_PORT = 5432
_SHOWN = 200

_SCHEME = re.compile(r"([a-z][a-z0-9.+-]*)://", re.IGNORECASE)
_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2})")
_SETTING = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9a-f:.%\w]+\]|[\w.%-]*)(?::(\d*))?", re.IGNORECASE)
"""Nothing but what the name of a host is made of: other characters are of a password."""

_SCHEMES = ("postgresql", "postgres")
_LIBPQ = frozenset(
    (
        *("channel_binding", "connect_timeout", "gssdelegation", "gssencmode"),
        *("gsslib", "hostaddr", "keepalives", "keepalives_count"),
        *("keepalives_idle", "keepalives_interval", "krbsrvname", "load_balance_hosts"),
        *("max_protocol_version", "min_protocol_version", "options", "passfile"),
        *("require_auth", "requirepeer", "ssl_max_protocol_version", "ssl_min_protocol_version"),
        *("sslcert", "sslcertmode", "sslcompression", "sslcrl"),
        *("sslcrldir", "sslkey", "sslmode", "sslnegotiation"),
        *("sslpassword", "sslrootcert", "sslsni", "target_session_attrs"),
        "tcp_user_timeout",
    )
)
_OURS = {"application_name", "fallback_application_name", "client_encoding", "replication"}
"""Left out: we say who we are and how text is encoded, and only ever read rows."""


class Peer(NamedTuple):
    """Where a connection came out."""

    host: str
    """As libpq took it; the folder of a socket without links in its path."""
    ip: str
    """Empty for a socket."""


@dataclass(frozen=True)
class Address:
    """Where a database is. `repr` has no password in it."""

    host: str = ""
    """One or several, with commas; empty for what libpq would use."""
    port: str = ""
    database: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    service: str = ""
    """A section of the service file of libpq."""
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What libpq is told besides."""

    @property
    def shown(self) -> str:
        """The address as it may be shown: without the password and its parameters."""
        return clean_line(self.plain, _SHOWN)

    @property
    def plain(self) -> str:
        """The same, not cut."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        where = f"postgresql://{user}{self._place(self.host, self.port)}"
        return f"{where}/{quote(self.database, safe='')}"

    def keywords(self) -> dict[str, str]:
        """What libpq is called with; what is left out, it takes from its variables and files."""
        named = {
            "host": self.host,
            "port": self.port,
            "dbname": self.database,
            "user": self.user,
            "password": self.password,
            "service": self.service,
        }
        return {**self.parameters, **{name: value for name, value in named.items() if value}}

    def identity(
        self,
        schema: str,
        prefix: str,
        environment: Mapping[str, str],
        login: str = "",
        peer: Peer | None = None,
    ) -> str:
        """What notes and trash know a set of tables by: host, port, database, schema and prefix.
        Neither user nor password: the sessions are the same for all. `login` is the name of the
        user of this machine, after which libpq would call the database. `peer` is where the address
        led: it tells what `localhost` and no host at all stand for."""
        user = self.user or environment.get("PGUSER", "") or login
        service = self.service or environment.get("PGSERVICE", "")
        host = self.host or environment.get("PGHOST", "")
        if peer is not None and not service:
            host = _settled(host, peer)
        if service and not host:
            host = f"service={service}"
        port = self.port or environment.get("PGPORT", "")
        database = self.database or environment.get("PGDATABASE", "") or user
        place = self._place(host.lower(), port or str(DEFAULT_PORT))
        parts = (quote(part, safe="") for part in (database, schema, prefix))
        return f"postgresql://{place}/{'/'.join(parts)}"

    def led_to(self, peer: Peer) -> "Address":
        """The address for every connection after the first: `localhost` stays what it was then, as
        there may be another server behind its other IP address."""
        if self.host.lower() != "localhost" or "hostaddr" in self.parameters or not peer.ip:
            return self
        return replace(self, parameters={**self.parameters, "hostaddr": peer.ip})

    @staticmethod
    def _place(host: str, port: str) -> str:
        """Host and port, or several of each, as an address has them."""
        hosts, ports = host.split(","), port.split(",")
        if len(ports) == 1:
            ports *= len(hosts)
        if len(ports) != len(hosts):
            return quote(f"{host}:{port}", safe=",")
        return ",".join(
            f"{f'[{one}]' if ':' in one else quote(one, safe='')}{f':{at}' if at else ''}"
            for one, at in zip(hosts, ports, strict=True)
        )


def _settled(host: str, peer: Peer) -> str:
    """A host by the one name of the place that a connection to it came out at. Only what cannot be
    another server is another name: the IP address that `localhost` was on this machine, the folder
    of a socket. A socket and an IP address stay two, as nothing tells that both are of one server;
    so does any other host, whose IP addresses may change."""
    if not host or host.startswith("/"):
        return peer.host if peer.host.startswith("/") else peer.ip or host
    return peer.ip or host if host.lower() == "localhost" else host


def is_address(text: str) -> bool:
    """Whether this names a database on a server, of whatever kind, and not a file."""
    return _SCHEME.match(text) is not None


def parse(text: str) -> Address:
    """The address; a `UsageError` that says what is wrong with it, without quoting it."""
    found = _SCHEME.match(text)
    if found is None:
        raise _wrong("It must begin with postgresql://.")
    scheme = found[1].lower().split("+", 1)[0]
    if scheme not in _SCHEMES:
        raise UsageError(
            "Not supported",
            f"Session Explorer cannot read {clean_line(scheme, 20)}:// databases. It reads"
            " state files and PostgreSQL (postgresql://USER@HOST:PORT/DATABASE).",
        )
    _check(text)
    rest, _, query = text[found.end() :].partition("?")
    credentials, place, database = _split(rest, query)
    user, _, password = credentials.partition(":")
    given = _query(query)
    hosts, ports = _hosts(place)
    address = Address(
        host=given.pop("host", "") or hosts,
        port=_port(given.pop("port", "") or ports),
        database=given.pop("dbname", "") or _decoded(database),
        user=given.pop("user", "") or _decoded(user),
        password=given.pop("password", "") or _decoded(password),
        service=given.pop("service", ""),
        parameters=_parameters(given),
    )
    remember(address.password, address.shown)
    remember(given.get("sslpassword"))
    return address


def _wrong(why: str) -> UsageError:
    how = (
        "Write it as postgresql://USER@HOST:PORT/DATABASE, with the password in PGPASSWORD; in the"
        " address its @ / ? % must be written as %40 %2F %3F %25."
    )
    return UsageError("Not a valid address", f"{why} {how}")


def _check(text: str) -> None:
    if len(text) > LONGEST:
        raise _wrong(f"The address is longer than {LONGEST} characters.")
    if not text.isprintable():
        raise _wrong("The address has control characters in it, or text that cannot be decoded.")
    if _ESCAPE.search(text):
        raise _wrong("A % in the address is not followed by two hex digits.")


def _split(rest: str, query: str) -> tuple[str, str, str]:
    """(user and password, hosts, database) of what follows the scheme. Where another `@` follows
    the hosts, these may be a piece of a password that goes on after a slash or a question mark."""
    authority, _, database = rest.partition("/")
    credentials, _, place = authority.rpartition("@")
    if ":" in authority and "@" in database + query:
        raise _wrong("An @ of the address comes after a / or a ?.")
    return credentials, place, database


def _hosts(place: str) -> tuple[str, str]:
    """(hosts, ports), with commas where there are several."""
    hosts, ports = [], []
    for one in place.split(","):
        found = _HOST.fullmatch(one)
        if found is None:
            raise _wrong("The host and port of the address cannot be read.")
        hosts.append(_decoded(found[1].strip("[]") if found[1].startswith("[") else found[1]))
        ports.append(found[2] or "")
    return ",".join(hosts), ",".join(ports) if any(ports) else ""


def _port(ports: str) -> str:
    for one in ports.split(","):
        if one and not (one.isascii() and one.isdigit() and 0 < int(one[:9]) < 65_536):
            raise _wrong("The port must be a number from 1 to 65535.")
    return ports


def _query(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise _wrong("A parameter of the address has no value.")
        found[_decoded(name).lower()] = _decoded(value)
    return found


def _parameters(given: Mapping[str, str]) -> dict[str, str]:
    """What libpq takes; everything else as a setting of the server."""
    known = {name: value for name, value in given.items() if name in _LIBPQ}
    if given.get("ssl", "").lower() == "true":
        known.setdefault("sslmode", "require")
    options = [known.pop("options", "")]
    for name, value in given.items():
        if name in _LIBPQ | _OURS | {"ssl"}:
            continue
        if not _SETTING.fullmatch(name):
            raise _wrong("A parameter of the address has no valid name.")
        escaped = re.sub(r"([\\\s])", r"\\\1", value)
        options.append(f"-c {name}={escaped}")
    said = " ".join(filter(None, options))
    return {**known, **({"options": said} if said else {})}


def _decoded(text: str) -> str:
    try:
        decoded = unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise _wrong("An escape (%) of the address does not stand for UTF-8 text.") from None
    if "\0" in decoded:
        raise _wrong("The address has a NUL character (%00) in it.")
    return decoded
