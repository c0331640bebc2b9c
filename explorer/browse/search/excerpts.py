"""The words around what was found, the match lit."""

from collections.abc import Mapping

from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.render.lines import MATCH, Line, restyled
from explorer.search.engine import Hit
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
    store: Store,
    hits: Mapping[int, Hit],
    matcher: Matcher,
    counts: Mapping[int, int],
    token: CancelToken,
) -> dict[int, Line]:
    """The words around the match that stands for each of these rows, the match lit; of none where
    the expression takes too long."""
    places = {
        (hit.session_key, hit.message_id): row
        for row, hit in hits.items()
        if hit.session_key is not None
    }
    wanted_places = [(key, id_) for key, id_ in places if key is not None]
    made: dict[int, Line] = {}
    for key, message in store.scattered(wanted_places, token):
        row = places[key, message.id]
        try:
            where = matcher.where(message)
            lit = _lit(where, matcher) if where is not None else ()
        except BadPattern:
            break
        if where is not None:
            name = "result: " if message.role == "tool" else _NAMES[where.field]
            many = f"{counts[row]:,} hits · " if counts.get(row, 0) > 1 else ""
            made[row] = ((f"{many}{name}", "dim"), *lit)
    return made


def _lit(where: Where, matcher: Matcher) -> Line:
    first = where.at or 0
    start = max(first - AROUND, 0)
    # From the beginning of a word, where there is one so near.
    start = where.text.find(" ", start, first) + 1 or start if start else 0
    line = ("…" if start else "") + clean_line(where.text[start : start + 600], 300)
    return restyled(((line, "text"),), [(*span, MATCH) for span in matcher.spans(line)])
