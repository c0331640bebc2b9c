"""The family of a session as a tree: what it came from, and what came of it."""

from collections.abc import Mapping

from explorer.model import Kind
from explorer.render.clean import clean_line
from explorer.store.base import Label, Store
from explorer.store.catalog import Catalog
from explorer.store.read_only import CancelToken

DEEPEST = 100
LARGEST = 400
"""Members shown at most; an orchestrator may have thousands of subagents."""

_KINDS = {
    Kind.ROOT: "",
    Kind.CONTINUATION: "continued",
    Kind.BRANCH: "branch",
    Kind.SUBAGENT: "subagent",
}


def lineage(store: Store, catalog: Catalog, key: int, token: CancelToken) -> list[tuple[int, str]]:
    """(session, words for its place in the tree) of the whole family, the origin first."""
    tree = _tree(catalog, _origin(catalog, key))
    labels = store.labels([member for member, _ in tree], token)
    return [(member, _words(catalog, member, depth, labels, key)) for member, depth in tree]


def _origin(catalog: Catalog, key: int) -> int:
    for _ in range(DEEPEST):
        above = catalog.parent(key)
        if above is None or not catalog.has(above):
            break
        key = above
    return key


def _tree(catalog: Catalog, origin: int) -> list[tuple[int, int]]:
    """(session, depth) from the origin down, children in the order they were made."""
    children: dict[int, list[int]] = {}
    for key, link in catalog.links.items():
        if link.parent is not None and catalog.has(key):
            children.setdefault(link.parent, []).append(key)
    found: list[tuple[int, int]] = []
    waiting = [(origin, 0)]
    while waiting and len(found) < LARGEST:
        key, depth = waiting.pop()
        found.append((key, depth))
        waiting += [(child, depth + 1) for child in sorted(children.get(key, ()), reverse=True)]
    return found


def _words(catalog: Catalog, key: int, depth: int, labels: Mapping[int, Label], here: int) -> str:
    label = labels.get(key)
    name = clean_line((label.title or label.id) if label else "gone", 80)
    kind = _KINDS[catalog.kind(key)]
    stem = "  " * min(depth, 12) + ("└ " if depth else "")
    return f"{stem}{name}{f' · {kind}' if kind else ''}{' ◂ here' if key == here else ''}"
