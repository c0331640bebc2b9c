"""What the list says of itself: how many of how many, what is hidden, which filters are on.

Nothing is hidden silently, also where there is little room to say it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.browse.arrangement import CLASSES, Arranged, Found, Wish
from explorer.model import Hidden
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural
from explorer.search.filters import Filters
from explorer.search.language.chips import understood_parts
from explorer.search.language.query import Query

NAMES = {name: name.words for name in Hidden} | {Hidden.CONTINUATION: "folded"}
EMPTY = "No sessions here yet. Talk to your agent once, and they will be listed."
NOTHING_LEFT = "Every session is hidden. Press . to show them."
NOTHING_PASSES = "No session passes these filters. Backspace takes the last one off."


class Chip(NamedTuple):
    """A filter that is on, in words, by the name it is taken off with; without a name, something
    that was understood and cannot be taken off."""

    name: str
    words: str


def border(arranged: Arranged, total: int, room: int) -> str:
    """What the lower border of the list says."""
    said = f"{count(arranged.listed)} of {count(total)}"
    if not arranged.hidden:
        return said
    most = sorted(arranged.hidden.items(), key=lambda item: -item[1])
    number = sum(arranged.hidden.values())
    if arranged.found is not None:
        where = ", ".join(NAMES[name] for name, _ in most)
        shows = "" if list(arranged.hidden) == [Hidden.FILTERED] else ": . shows"
        more = plural(number, "more session" if arranged.found.sessions else "more hit")
        whole = f"{said} · {more} in {where}{shows}"
        return whole if len(whole) <= room else f"{said} · {more}{shows}"
    # Parts that are folded into their conversation are in sight, so they are the first to yield;
    # then the smallest classes, in one number.
    named = [f"{count(n)} {NAMES[name]}" for name, n in most]
    whole = f"{said} · hidden: {', '.join(named)}"
    if len(whole) <= room:
        return whole
    rest = [(name, n) for name, n in most if name is not Hidden.CONTINUATION]
    for kept in range(len(rest), 0, -1):
        named = [f"{count(n)} {NAMES[name]}" for name, n in rest[:kept]]
        if kept < len(rest):
            named.append(f"{count(sum(n for _, n in rest[kept:]))} more")
        whole = f"{said} · hidden: {', '.join(named)}"
        if len(whole) <= room:
            return whole
    short = f"{said} · {count(number)} hidden"
    return f"{short}: . shows" if len(short) + len(": . shows") <= room else short


def in_place_of_rows(arranged: Arranged, wish: Wish, total: int) -> str:
    """What stands in a list that has none, of so many sessions in all."""
    if arranged.found:
        return no_match(arranged.hidden)
    if wish.filters != Filters():
        return NOTHING_PASSES
    return NOTHING_LEFT if total else EMPTY


def no_match(hidden: Mapping[Hidden, int]) -> str:
    """What stands in the place of rows when a search has none to list."""
    classes = [NAMES[name] for name in hidden if name is not Hidden.FILTERED]
    if not classes:
        return "Nothing found. Escape clears the search."
    where = ", ".join(classes)
    return f"Nothing found but in what is hidden: {where}. Enter leaves the bar, then . shows it."


def outcome(arranged: Arranged) -> str:
    """What a search came to, for the right end of the bar."""
    found = arranged.found
    if found is None:
        return ""
    took = f"{found.seconds * 1000:,.0f} ms" if found.seconds < 10 else f"{found.seconds:,.0f} s"
    result = found.result
    if found.sessions:
        sessions = plural(arranged.listed, "session")
        return f"{sessions} · {took}" if result.complete else f"looked through {result.done:.0%}"
    kinds = ((result.total, "hit"), (found.titles, "title"), (found.ids, "id"))
    named = " and ".join(plural(number, name) for number, name in kinds if number)
    hits = f"{named or '0 hits'} in {plural(arranged.listed - found.alike, 'session')}"
    if found.alike:
        hits = f"{hits if named else 'no hits'} · {plural(found.alike, 'title')} alike"
    if found.trouble:
        return f"{found.trouble} · {hits}"
    return f"{hits} · {took}" if result.complete else f"{hits} · looked through {result.done:.0%}"


def understood(query: Query) -> list[Chip]:
    """What the search bar has understood of what was typed, and what it has not."""
    said = [Chip("", clean_line(words, 60)) for _, words in understood_parts(query)]
    return said + [Chip("", clean_line(note, 200)) for note in query.notes]


def scanned_because(found: Found) -> list[Chip]:
    """Why all was read, message by message, where a search table should have been quicker."""
    trouble = found.result.trouble
    return [Chip("", f"scanned: {trouble}")] if trouble else []


def chips(wish: Wish, excepted: int) -> list[Chip]:
    """What is on, the oldest habit last: shown classes, then filters, then exceptions."""
    found = []
    if wish.shown.issuperset(CLASSES):
        found.append(Chip("classes", "with all that is hidden"))
    else:
        found += [
            Chip(f"class {name}", f"with {name.words}") for name in CLASSES if name in wish.shown
        ]
    filters = wish.filters
    found += [Chip(f"source {name}", source_words(name)) for name in sorted(filters.sources)]
    found += [Chip(f"model {name}", model_words(name)) for name in sorted(filters.models)]
    said = {
        "since": filters.since and f"since {clean_line(filters.since.words, 30)}",
        "before": filters.before and f"before {clean_line(filters.before.words, 30)}",
        "least": filters.least and f"{count(filters.least)} messages or more",
        "tools": filters.tools and "with tools",
        "unread": filters.unread and "unread",
        "expiring": filters.expiring and "expiring",
        "revealed": excepted and f"{plural(excepted, 'hidden one')} you asked for",
    }
    return found + [Chip(name, words) for name, words in said.items() if isinstance(words, str)]


def without(wish: Wish, name: str) -> Wish:
    """The wish with one of its chips taken off."""
    kind, _, value = name.partition(" ")
    filters = wish.filters
    if kind == "classes":
        return wish._replace(shown=frozenset())
    if kind == "class":
        return wish._replace(shown=wish.shown - {Hidden(value)})
    if kind == "revealed":
        return wish._replace(revealed=frozenset())
    if kind == "source":
        filters = filters._replace(sources=filters.sources - {value})
    elif kind == "model":
        filters = filters._replace(models=filters.models - {value})
    else:
        filters = filters._replace(**{kind: getattr(Filters(), kind)})
    return wish._replace(filters=filters)


def source_words(name: str) -> str:
    return clean_line(name, 60) or "no source"


def model_words(name: str) -> str:
    """A model without the maker's path before it."""
    words = clean_line(name, 60)
    return words.rpartition("/")[2] or words or "no model"
