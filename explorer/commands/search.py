"""`search`: every hit, newest first."""

import argparse
import json
from itertools import islice

from explorer.commands.output import BOLD, CYAN, DIM, flush, note, painted, write, write_json
from explorer.commands.shapes import hit_shape
from explorer.commands.stores import chosen_store
from explorer.commands.words import search_summary
from explorer.errors import ExitCode
from explorer.model import Hit
from explorer.render.clean import clean_line
from explorer.render.figures import ago
from explorer.render.lines import MATCH, restyled
from explorer.search.hits import CompleteSearch


def search_messages(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    text = " ".join(options.query)
    search = CompleteSearch(store, store.catalog(), text, now, everything=options.all)
    limit = options.limit or None
    if options.json_lines:
        for hit in islice(search.hits(), limit):
            # At once, also into a pipe: its reader need not wait for the end.
            write(json.dumps(hit_shape(hit)))
            flush()
        return ExitCode.DONE
    hits = search.hits()
    given = list(islice(hits, limit))
    for _ in hits:
        # The others are counted.
        pass
    if options.json:
        write_json(
            {
                "query": search.query.text,
                "mode": "scan",
                "complete": search.complete,
                "total": search.total,
                "hidden": {name.value: number for name, number in search.hidden.items()},
                "notes": list(search.query.notes),
                "hits": [hit_shape(hit) for hit in given],
            }
        )
    else:
        for hit in given:
            for line in _lines(hit, now):
                write(line)
        query = search.query
        note(search_summary(query.text, len(given), search.total, query.notes, search.hidden))
    return ExitCode.DONE


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
    marked = restyled(((hit.snippet, "text"),), [(*mark, MATCH) for mark in hit.marks])
    return "".join(
        painted(_piece(text), CYAN) if style == MATCH else _piece(text) for text, style in marked
    )


def _piece(text: str) -> str:
    """Cleaned, with the spaces at both ends that separate it from its neighbours."""
    inner = clean_line(text)
    if not inner:
        return " " if text else ""
    left = " " if text[0].isspace() else ""
    right = " " if text[-1].isspace() else ""
    return f"{left}{inner}{right}"
