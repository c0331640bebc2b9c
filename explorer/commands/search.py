"""`search`: where something was said, newest first."""

import argparse
import json

from explorer.commands.output import BOLD, CYAN, DIM, note, painted, write, write_json
from explorer.commands.shapes import hit_shape
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode
from explorer.model import Hit
from explorer.render.amounts import count, plural
from explorer.render.clean import clean_line
from explorer.render.when import ago
from explorer.search.hits import hits
from explorer.search.query import parse
from explorer.search.run import Found, run


def search_messages(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    query = parse(" ".join(options.query))
    found = run(store, store.catalog(), query, everything=options.all)
    given = hits(store, found, options.limit or None)
    if options.json_lines:
        for hit in given:
            write(json.dumps(hit_shape(hit)))
    elif options.json:
        write_json(
            {
                "query": query.text,
                "mode": found.mode,
                "complete": found.complete,
                "total": found.total,
                "hidden": {name.value: number for name, number in found.hidden.items()},
                "hits": [hit_shape(hit) for hit in given],
            }
        )
    else:
        shown = 0
        for hit in given:
            shown += 1
            for line in _lines(hit, now):
                write(line)
        note(_summary(found, shown))
    return int(ExitCode.DONE)


def _lines(hit: Hit, now: float) -> tuple[str, str, str]:
    where = hit.field if hit.role == "session" else f"{clean_line(hit.role)} {hit.field}"
    head = painted(clean_line(hit.title or "(untitled)", 100), BOLD)
    facts = [hit.session_id, hit.source, where]
    if hit.timestamp is not None:
        facts.append(ago(hit.timestamp, now))
    return (
        f"{head}  {painted(' · '.join(clean_line(fact) for fact in facts if fact), DIM)}",
        f"  {_lit(hit)}",
        "",
    )


def _lit(hit: Hit) -> str:
    """The snippet with its marks in colour; cleaned piece by piece, so that they stay in place."""
    pieces, at = [], 0
    for begin, end in hit.marks:
        pieces.append(_piece(hit.snippet[at:begin]))
        pieces.append(painted(_piece(hit.snippet[begin:end]), CYAN))
        at = end
    return "".join([*pieces, _piece(hit.snippet[at:])])


def _piece(text: str) -> str:
    """Clean, keeping the spaces at both ends that join it to its neighbours."""
    inner = clean_line(text)
    if not inner:
        return " " if text else ""
    left = " " if text[0].isspace() else ""
    right = " " if text[-1].isspace() else ""
    return f"{left}{inner}{right}"


def _summary(found: Found, shown: int) -> str:
    parts = [f"{count(shown)} of {plural(found.total, 'hit')}"]
    if found.mode == "scan":
        parts.append("by scanning: this file has no search table for these words")
    if found.hidden:
        classes = ", ".join(f"{count(number)} in {name}" for name, number in found.hidden.items())
        parts.append(f"{classes} (--all shows them)")
    return " · ".join(parts)
