"""`search`: every hit, newest first."""

import argparse
import json
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice

from explorer.commands.next_commands import advise_where
from explorer.commands.output import (
    BOLD,
    CYAN,
    DIM,
    flush,
    heading,
    note,
    painted,
    write,
    write_json,
)
from explorer.commands.pager import paged
from explorer.commands.shapes import hit_shape, listed_shapes
from explorer.commands.stores import (
    chosen_store,
    noted_pins,
    warn_unreadable,
)
from explorer.commands.words import file_words, search_summary, unknown_name
from explorer.errors import ExitCode
from explorer.model import Hit, called
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.render.figures import ago
from explorer.render.lines import MATCH, restyled
from explorer.render.plain_words import plain_line
from explorer.search.hits import CompleteSearch
from explorer.search.language.corrections import corrections
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.census import Census
from explorer.stores.resolve import profiles_of


def search_messages(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    text = " ".join(options.query)
    listed = store.catalog()
    catalog = listed.with_files(store.file_catalog())
    pins = partial(noted_pins, store, catalog)
    search = CompleteSearch(store, catalog, text, now, everything=options.all, pins=pins)
    limit = options.limit or None
    if options.json_lines:
        for hit in islice(search.hits(most=limit), limit):
            # At once, also into a pipe: its reader need not wait for the end.
            write(json.dumps(veil.hidden_in(hit_shape(hit))))
            flush()
        warn_unreadable(store, options)
        return ExitCode.DONE
    given = list(search.hits(most=limit))
    warn_unreadable(store, options)
    if options.json:
        write_json(
            {
                "query": search.query.text,
                "mode": "scan",
                "complete": search.complete,
                "total": search.total,
                "hidden": {name.value: number for name, number in search.hidden.items()},
                "notes": list(search.query.notes),
                "stores": listed_shapes(store, Census(listed)),
                "hits": [hit_shape(hit) for hit in given],
            }
        )
    else:
        names = _names(store, catalog, given, now)
        with paged(not options.no_pager):
            if given:
                heading(f"Title  id · {'profile · ' if store.places else ''}source · where · when")
            for hit in given:
                for line in _lines(hit, names, now):
                    write(line)
        query = search.query
        note(search_summary(query.text, len(given), search.total, query.notes, search.hidden))
        _warn_misspelt(text, store, catalog)
        if not search.total and not search.hidden:
            advise_where(text, options, now)
    return ExitCode.DONE


def _warn_misspelt(text: str, store: Store, catalog: Catalog) -> None:
    """Name the closest ones of a source or a profile that no session has."""
    known = {"source": sorted(catalog.source_names)}
    if "profile:" in text.lower():
        known["profile"] = profiles_of(store)
    for one in corrections(text, known):
        if one.field in known:
            note(unknown_name(one.field, text[one.start : one.end], known[one.field]))


def _names(store: Store, catalog: Catalog, hits: Iterable[Hit], now: float) -> dict[int, str]:
    """The first words of the sessions without a title."""
    untitled = {hit.session_key: None for hit in hits if not hit.title}
    units = [catalog.single(key) for key in untitled if key is not None and catalog.has(key)]
    return {one.key: one.preview for one in store.sessions(units, now)} if units else {}


def _lines(hit: Hit, names: Mapping[int, str], now: float) -> tuple[str, ...]:
    where = hit.field if hit.role == "session" else f"{clean_line(hit.role)} {hit.field}"
    if not hit.snippet:
        # A session that only fields found, and that has no title.
        where = ""
    words = names.get(hit.session_key, "") if hit.session_key is not None else ""
    name = clean_line(called(hit.title, words) or "(untitled)", 100)
    head = painted(name, BOLD if hit.title else "")
    facts = [hit.session_id, file_words(hit), hit.source, hit.origin, where]
    if hit.timestamp is not None:
        facts.append(ago(hit.timestamp, now))
    if hit.file:
        facts.append(f"from {hit.file}")
    return (
        f"{head}  {painted(' · '.join(clean_line(fact) for fact in facts if fact), DIM)}",
        *([f"  {_lit(hit)}"] if hit.snippet else []),
        "",
    )


def _lit(hit: Hit) -> str:
    """The snippet with its marks in colour; cleaned piece by piece, so that they stay in place."""
    marked = restyled(((hit.snippet, "text"),), [(*mark, MATCH) for mark in hit.marks])
    if hit.message_id is not None:
        marked = plain_line(marked, hit.marks)
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
