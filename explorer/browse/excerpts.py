"""The words around what was found, the match lit."""

from collections.abc import Iterable

from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.render.lines import MATCH, Line, restyled
from explorer.search.engine import SearchResult
from explorer.search.matcher import Matcher, Where
from explorer.search.pattern import BadPattern
from explorer.stores.base import Store

AROUND = 16
"""Characters before a match in an excerpt: the match itself must be in sight in a narrow list."""
_NAMES = {
    "content": "",
    "tool_calls": "tool call: ",
    "tool_name": "tool: ",
    "reasoning": "reasoning: ",
}


def excerpts(
    store: Store, rows: Iterable[int], result: SearchResult, matcher: Matcher, token: CancelToken
) -> dict[int, Line]:
    """The words around the hit that stands for each of these rows; of none where the expression
    takes too long."""
    places: dict[tuple[int, int], int] = {}
    for row in rows:
        hit = result.leading.get(row)
        if hit is not None and hit.session_key is not None:
            places[hit.session_key, hit.message_id] = row
    made: dict[int, Line] = {}
    for key, message in store.scattered(list(places), token):
        row = places[key, message.id]
        try:
            where = matcher.where(message)
            around = _around(where, matcher) if where is not None else ()
        except BadPattern:
            break
        if where is not None:
            name = "result: " if message.role == "tool" else _NAMES[where.field]
            number = result.counts.get(row, 0)
            many = f"{number:,} hits · " if number > 1 else ""
            made[row] = ((f"{many}{name}", "dim"), *around)
    return made


def _around(where: Where, matcher: Matcher) -> Line:
    first = where.at or 0
    start = max(first - AROUND, 0)
    # From the beginning of a word, where there is one so near.
    start = where.text.find(" ", start, first) + 1 or start if start else 0
    line = ("…" if start else "") + clean_line(where.text[start : start + 600], 300)
    return restyled(((line, "text"),), [(*span, MATCH) for span in matcher.spans(line)])
