"""What was given for a database, as it may be shown or typed again: without its password.

A value that is one address is known to end with it, so all that stands in the place of a password
is one, also where it should have been escaped.
"""

import re
from contextlib import suppress
from urllib.parse import quote

from explorer.errors import UsageError
from explorer.stores.postgres.address import Address, is_address, parse
from explorer.stores.postgres.secrets import MARK, scrubbed
from explorer.stores.sqlite.schema import quoted

_LOGIN = re.compile(r"([^:]+:/+[^:/@?#]*):(.*)@", re.DOTALL)
_PARAMETER = re.compile(r"((?:ssl)?password=)[^&]*", re.IGNORECASE)


def shown(given: str) -> str:
    """The value of a variable or an option."""
    if not is_address(given):
        return scrubbed(given)
    with suppress(UsageError):
        # Its password is known then, however it is spelt.
        parse(given)
    return scrubbed(_PARAMETER.sub(rf"\1{MARK}", _LOGIN.sub(rf"\1:{MARK}@", given)))


def typed_again(given: str) -> str:
    """What to type for the same place: a password is taken from elsewhere when it is run."""
    return shown(given).replace(f":{MARK}@", "@")


_KEPT = (
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslnegotiation"),
    *("ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs"),
    *("passfile", "krbsrvname"),
)
"""Parameters that libpq and power-loop's driver (asyncpg) both take: what that does not know, it
sends to the server, which then refuses the connection."""
_SEARCH_PATH = re.compile(r"(?:-c\s*|--)search_path=(?:\\.|[^\s\\])*\s*", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def search_path(schema: str) -> str:
    """The parameter of an address that names a schema."""
    name = schema if _PLAIN_NAME.fullmatch(schema) else quoted(schema)
    return f"search_path={quote(name, safe='')}"


def reaching(address: Address, schema: str) -> str:
    """An address at which the tables of a schema are found, by us and by power-loop alike, which
    has no other way to name a schema. Without a password: that is taken from elsewhere."""
    given = {name: address.parameters[name] for name in _KEPT if name in address.parameters}
    if address.service:
        given["service"] = address.service
    if options := _SEARCH_PATH.sub("", address.parameters.get("options", "")).strip():
        given["options"] = options
    others = (f"{name}={quote(value, safe='/')}" for name, value in given.items())
    return f"{address.plain}?{'&'.join((search_path(schema), *others))}"
