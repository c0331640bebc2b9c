"""What a session used and what it cost: tokens by kind, dollars and how sure they are.

A stored zero is what Hermes writes when it knows no price, so it counts as a price only where the
status says that it is one.
"""

from collections.abc import Sequence

from explorer.render.amounts import count, exact_cost
from explorer.stores.fact_rows import Record, Row, labelled, total
from explorer.stores.hermes.codes import COST_STATUSES, in_words
from explorer.stores.sqlite import cells

TOKENS = {
    "input_tokens": "Input",
    "output_tokens": "Output",
    "cache_read_tokens": "Cache read",
    "cache_write_tokens": "Cache write",
    "reasoning_tokens": "Reasoning",
}
ACTUAL, ESTIMATED = "actual_cost_usd", "estimated_cost_usd"
COSTS = (ACTUAL, ESTIMATED, "cost_status")
_PRICED = {ACTUAL: "actual", ESTIMATED: "estimated"}
"""The status with which a zero is a price."""
SPENDING = (*COSTS, "cost_source", "pricing_version")
UNKNOWN = "-"


def token_rows(parts: Sequence[Record]) -> list[Row]:
    """The sum of each kind; where all are zero nobody counted."""
    found = {label: total(parts, column) for column, label in TOKENS.items()}
    if not any(found.values()):
        return [("All kinds", UNKNOWN)]
    return [(label, count(number)) for label, number in found.items() if number is not None]


def cost_rows(parts: Sequence[Record], one: Record) -> list[Row]:
    """Nothing for schemas that know no cost."""
    if ESTIMATED not in one.cell:
        return []
    rows = [("Cost", price(parts) or UNKNOWN)]
    actual, estimated = dollars(parts, ACTUAL), dollars(parts, ESTIMATED)
    if actual is not None and estimated is not None:
        rows.append(("Estimated", exact_cost(estimated)))
    rows += [("Status", status) for status in statuses(parts)]
    return rows + labelled(one, {"cost_source": "Price from", "pricing_version": "Prices of"})


def price(parts: Sequence[Record]) -> str:
    """What was paid, or else the estimate; empty where neither is known."""
    actual = dollars(parts, ACTUAL)
    known = dollars(parts, ESTIMATED) if actual is None else actual
    return "" if known is None else exact_cost(known)


def statuses(parts: Sequence[Record]) -> list[str]:
    """How sure that is, in words: once for each status that a part has."""
    found = dict.fromkeys(part.text("cost_status") for part in parts if part.has("cost_status"))
    return [in_words(status, COST_STATUSES) for status in found]


def dollars(parts: Sequence[Record], column: str) -> float | None:
    """The sum of what is known of a kind of cost; None where nothing is."""
    costs = (_dollars(part.cell.get(column), part.text("cost_status"), column) for part in parts)
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def known_cost(actual: object, estimated: object, status: object) -> float | None:
    """What a session cost, of cells of `COSTS`: what was paid, or else the estimate."""
    words = cells.words(status)
    paid = _dollars(actual, words, ACTUAL)
    return _dollars(estimated, words, ESTIMATED) if paid is None else paid


def _dollars(cell: object, status: str, column: str) -> float | None:
    cost = cells.number(cell)
    known = cost is not None and (cost > 0 or status == _PRICED[column])
    return max(cost or 0.0, 0.0) if known else None
