"""Texts that newer schemas keep once for all sessions, by their hash: system prompts, and the tools
that were offered to the model."""

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader

TOOLS_READ = 1_000_000
"""Bytes of a description of tools: of a hundred of them it has some hundred thousand."""


def shared_text(reader: Reader, hash_: str, most: int) -> tuple[bytes, int] | None:
    """(the beginning of a text, its bytes in all); None where the file does not hold it."""
    if not hash_ or not reader.schema.has("system_prompts", "hash", "prompt"):
        return None
    found = reader.row(
        "SELECT substr(CAST(p.prompt AS BLOB), 1, ?), length(CAST(p.prompt AS BLOB))"
        " FROM system_prompts p WHERE p.hash = ?",
        (most, hash_),
    )
    return (found[0] or b"", cells.amount(found[1])) if found else None


def tools(reader: Reader, hash_: str) -> str:
    """The names of the tools in a description of them; empty where it cannot be read."""
    found = shared_text(reader, hash_, TOOLS_READ)
    names = [_name(one) for one in cells.items(found[0])] if found else []
    return ", ".join(filter(None, names))


def _name(tool: dict[str, object]) -> str:
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else tool.get("name")
    return name if isinstance(name, str) else ""
