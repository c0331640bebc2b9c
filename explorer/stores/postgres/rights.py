"""What a user may not read, in words: which sessions that hides, and what to ask for.

A set of tables that may not be read is no set that is not there: it is named with its sessions, as
a file that cannot be read.
"""

from explorer.errors import Problem, ServerError
from explorer.render.clean import clean_line
from explorer.render.figures import plural
from explorer.stores.postgres.given import search_path
from explorer.stores.postgres.schema import TableSet
from explorer.stores.sqlite.schema import quoted

_MOST = 5
"""Schemas that are named."""


def refusal(tables: TableSet, role: str, sessions: int | None) -> ServerError:
    """Why no session of a set can be read; `sessions` is how many it has, where that is known."""
    whose = f"in {clean_line(tables.schema, 60)}"
    what = f"The sessions {whose}" if sessions is None else f"{plural(sessions, 'session')} {whose}"
    message = f"The role {clean_line(role, 60)} {_lacks(tables)}. Ask for: {_grant(tables, role)}."
    return ServerError(Problem.NO_PERMISSION, f"{what} cannot be read", message)


def _lacks(tables: TableSet) -> str:
    if not tables.usable:
        return f"may not use the schema {clean_line(tables.schema, 60)}"
    named = " and ".join(clean_line(name, 60) for name in sorted(tables.refused))
    noun = "table" if len(tables.refused) == 1 else "tables"
    if tables.refused <= tables.partly:
        return f"may read only some columns of the {noun} {named}, and all are needed"
    return f"may not read the {noun} {named}"


def _grant(tables: TableSet, role: str) -> str:
    """What the owner has to type. It names all tables: each is needed sooner or later."""
    schema, whom = quoted(tables.schema), quoted(role)
    use = "" if tables.usable else f"GRANT USAGE ON SCHEMA {schema} TO {whom}; "
    return clean_line(f"{use}GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {whom}", 400)


def gaps(tables: TableSet, effects: dict[str, str], role: str) -> tuple[str, ...]:
    """What cannot be said of sessions because other tables may not be read; `effects` tells what
    each table is for, without its prefix."""
    told: dict[str, list[str]] = {}
    for name, effect in effects.items():
        table = f"{tables.prefix}{name}"
        if table in tables.closed:
            part = " (some columns can)" if table in tables.partly else ""
            told.setdefault(effect, []).append(clean_line(table, 60) + part)
    lines = [f"{', '.join(names)} cannot be read: {effect}." for effect, names in told.items()]
    if lines:
        lines.append(f"Ask for: {_grant(tables, role)}.")
    secured = sorted(tables.filtered & tables.tables.keys())
    if secured:
        named = ", ".join(clean_line(name, 60) for name in secured)
        lines.append(f"Row security may hide rows of {named} from the role {clean_line(role, 60)}.")
    return tuple(lines)


def elsewhere(schemas: tuple[str, ...]) -> str:
    """Where sessions are that the search path leaves out; empty where there are none."""
    if not schemas:
        return ""
    named = ", ".join(f"?{clean_line(search_path(name), 100)}" for name in schemas[:_MOST])
    more = f" and {len(schemas) - _MOST} more" if len(schemas) > _MOST else ""
    return f"Other schemas of this database have sessions: {named}{more}."
