"""The family of a session as a tree: its ancestors, and what continues or branches from it.

A family may be of any size and, in a damaged file, a circle. What is shown has a limit, says so,
and is always what lies around the session one came from.
"""

from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Kind
from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.figures import ago
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog

LARGEST = 400
"""Members shown at most; an orchestrator may have thousands of subagents."""
WIDEST = 90
"""Cells of a line: beyond that the eye does not find the next one."""
DEEPEST = 12
"""Steps to the right: further down they stand below each other."""

_KINDS = {
    Kind.ROOT: "",
    Kind.CONTINUATION: "continued",
    Kind.BRANCH: "branch",
    Kind.SUBAGENT: "subagent",
}


class FamilyTree(NamedTuple):
    """A session with its relatives, the origin first."""

    members: tuple[tuple[int, str], ...]
    """(session, words for its place in the tree)."""
    total: int
    """How many there are, shown or not."""


def lineage(
    store: Store, catalog: Catalog, here: int, width: int, now: float, token: CancelToken
) -> FamilyTree:
    """The whole family of a session, or of a very large one what is around it, in lines of this
    width."""
    ancestors = _ancestors(catalog, here)
    tree = _tree(catalog, ancestors[-1])
    shown = _near(list(tree), here, frozenset(ancestors))
    units = [catalog.single(key) for key in shown]
    known = {session.key: session for session in store.sessions(units, now, token)}

    def words(key: int) -> str:
        """The name yields where there is little room, never the kind of the link."""
        session, stem = known.get(key), tree[key]
        when = ago(session.last_active, now) if session and session.last_active else ""
        spawned = session.spawned if session else ""
        parts = filter(None, (_KINDS[catalog.kind(key)], spawned, when))
        about = "".join(f" · {part}" for part in parts)
        about += " ◂ here" if key == here else ""
        room = min(width, WIDEST) - cell_width(stem) - cell_width(about)
        said = (session and session.name) or "deleted"
        return f"{stem}{fit(clean_line(said, 300), max(room, 8))}{about}"

    return FamilyTree(tuple((key, words(key)) for key in shown), len(tree))


def _ancestors(catalog: Catalog, key: int) -> list[int]:
    """From a session up to the origin of its family."""
    found = {key: None}
    above = catalog.parent(key)
    while above is not None and catalog.has(above) and above not in found:
        found[above] = None
        above = catalog.parent(above)
    return list(found)


def _tree(catalog: Catalog, origin: int) -> dict[int, str]:
    """All sessions from the origin down, children in the order they were made, and the lines of the
    tree before the name of each."""
    children = catalog.children(*Kind)
    found: dict[int, str] = {}
    waiting = [(origin, "", "", 0)]
    while waiting:
        key, stem, below, depth = waiting.pop()
        if key in found:
            continue
        found[key] = stem
        own = children.get(key, [])
        inner = below if depth < DEEPEST else below[:-2]
        for child in reversed(own):
            last = child == own[-1]
            lines = ("└ ", "  ") if last else ("├ ", "│ ")
            waiting.append((child, inner + lines[0], inner + lines[1], depth + 1))
    return found


def _near(tree: list[int], here: int, ancestors: frozenset[int]) -> list[int]:
    """All of a family, or what lies around a session, below those it came from."""
    if len(tree) <= LARGEST:
        return tree
    first = max(min(tree.index(here) - LARGEST // 2, len(tree) - LARGEST), 0)
    above = [key for key in tree[:first] if key in ancestors][: LARGEST // 4]
    return [*above, *tree[first + len(above) : first + LARGEST]]
