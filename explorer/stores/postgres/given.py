"""What was given for a database, as it may be shown or typed again: without its password.

A value that is one address is known to end with it, so all that stands in the place of a password
is one, also where it should have been escaped.
"""

import re
from contextlib import suppress

from explorer.errors import UsageError
from explorer.stores.postgres.address import is_address, parse
from explorer.stores.postgres.secrets import MARK, scrubbed

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
