"""The tokens that sessions used: in all by their running totals where there are any, else by the
rounds that were kept; and by send and round as far as they are kept.

Rounds are counted from zero within each send. Early releases kept a round by its number alone, so
that each send overwrote the rounds of the one before, and later ones kept only the last round of
each send: what rounds add up to may be too little. So may be the totals of a session that began
before there were any.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.render.figures import count, plural
from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.table_reader import KnownTables, TableReader

Tokens = tuple[int, int]
"""(in, out)"""


STATS, ROUNDS = "session_stats", "usage_rounds"
"""Where tokens are counted: the running totals, and the rounds that were kept."""


def counted_in(schema: KnownTables, tables: Tables) -> Iterator[str]:
    """The tables that count tokens, the running totals first."""
    needed = ("session_id", "prompt_tokens", "completion_tokens")
    for table in (STATS, ROUNDS):
        if tables.has(schema, table, *needed):
            yield tables.sql(table)


def tokens(
    reader: TableReader, tables: Tables, ids: Collection[str] | None = None
) -> dict[str, Tokens]:
    """The tokens of these sessions, or of all, by id: two questions for any number of them."""
    total, late = tables.flavour.total, totals_began_late(reader.schema, tables)
    figures = f"{total('t.prompt_tokens')}, {total('t.completion_tokens')}"
    found: dict[str, Tokens] = {}
    for table in counted_in(reader.schema, tables):
        select = f"SELECT t.session_id, {figures} FROM {table} t"
        if ids is None:
            rows = reader.rows(f"{select} GROUP BY t.session_id")
        else:
            rows = [
                row
                for batch in batches(id_ for id_ in ids if late or id_ not in found)
                for row in reader.rows(
                    f"{select} WHERE t.session_id IN ({placeholders(batch)}) GROUP BY t.session_id",
                    batch,
                )
            ]
        for id_, prompt, completion in rows:
            name = cells.words(id_)
            used = cells.integer(prompt) or 0, cells.integer(completion) or 0
            if name not in found or (late and sum(used) > sum(found[name])):
                found[name] = used
    return found


def totals_began_late(schema: KnownTables, tables: Tables) -> bool:
    """Whether a release without totals may have begun these tables: then the rounds that it left
    may be more. Tables with rounds by send have had totals from the beginning."""
    return not tables.has(schema, ROUNDS, "send_index")


class TokenTotals(NamedTuple):
    """What a session used in all."""

    figures: Mapping[str, int]
    """By the names of the columns that were asked for."""
    undercount: str = ""
    """Why it is too little, where that is known."""


def totals(
    reader: TableReader, tables: Tables, id_: str, used: Sequence[str], done: Sequence[str]
) -> TokenTotals:
    """What a session `used` (tokens), and how much was `done` (sends, rounds and calls)."""
    stats = _sums(reader, tables, STATS, id_, (*used, *done))
    rounds = _sums(reader, tables, ROUNDS, id_, used)
    if not stats:
        less = bool(rounds) and _overwrites(reader, tables, id_)
        return TokenTotals(rounds, OVERWRITTEN if less else "")
    if totals_began_late(reader.schema, tables) and _spent(rounds) > _spent(stats):
        return TokenTotals({**stats, **rounds}, NOT_EVERY_SEND)
    return TokenTotals(stats)


def _sums(
    reader: TableReader, tables: Tables, table: str, id_: str, columns: Sequence[str]
) -> dict[str, int]:
    """The sums of these columns, of those that there are; nothing where no row is about it."""
    names = [name for name in columns if tables.has(reader.schema, table, "session_id", name)]
    if not names:
        return {}
    sums = ", ".join(tables.flavour.total(f"t.{name}") for name in names)
    sql = f"SELECT count(*), {sums} FROM {tables.sql(table)} t WHERE t.session_id = ?"
    number, *values = reader.row(sql, (id_,))
    return dict(zip(names, map(cells.amount, values), strict=True)) if number else {}


def _spent(sums: Mapping[str, int]) -> int:
    return sums.get("prompt_tokens", 0) + sums.get("completion_tokens", 0)


def _overwrites(reader: TableReader, tables: Tables, id_: str) -> bool:
    """Whether a send overwrote the rounds of the one before it: where rounds are not kept by send,
    or were not when they were written, and there was more than one."""
    if not tables.has(reader.schema, ROUNDS, "send_index"):
        asked = f"SELECT 1 FROM {tables.messages} m WHERE m.session_id = ? AND m.role = 'user'"
        return len(reader.rows(f"{asked} LIMIT 2", (id_,))) > 1
    sql = f"SELECT 1 FROM {tables.sql(ROUNDS)} t WHERE t.session_id = ? AND t.send_index = 0"
    return reader.value(f"{sql} LIMIT 1", (id_,)) is not None


OVERWRITTEN = "An undercount: each send overwrote the rounds of the send before it."
NOT_EVERY_SEND = "An undercount: not every send was added to the totals."
MOST_SENDS = 20
"""Sends that are told one by one, the newest."""
MOST_ROUNDS = 8
"""Rounds of a send that are told."""


def usage_by_send(reader: TableReader, tables: Tables, id_: str) -> list[tuple[str, str]]:
    """The tokens of the newest sends, and of their rounds; nothing where rounds are not kept by
    send."""
    needed = ("session_id", "send_index", "round_index", "prompt_tokens", "completion_tokens")
    if not tables.has(reader.schema, ROUNDS, *needed):
        return []
    table, total = tables.sql(ROUNDS), tables.flavour.total
    sends = reader.rows(
        f"SELECT t.send_index, count(*), max(t.round_index), {total('t.prompt_tokens')},"
        f" {total('t.completion_tokens')} FROM {table} t WHERE t.session_id = ?"
        f" GROUP BY t.send_index ORDER BY t.send_index DESC LIMIT {MOST_SENDS + 1}",
        (id_,),
    )
    more = [("Earlier", "older sends are not listed")] if len(sends) > MOST_SENDS else []
    shown = sends[:MOST_SENDS][::-1]
    rounds = _rounds(reader, tables, id_, shown[0][0]) if shown else {}
    told = [
        (
            _send_label(send),
            _send_words(number, last if send else None, into, out, rounds.get(send, [])),
        )
        for send, number, last, into, out in shown
    ]
    return [*more, *told]


def _send_label(send: object) -> str:
    """Sends are numbered from one on; zero is written where none is known."""
    number = cells.amount(send)
    return f"Send {number}" if number else "Unknown send"


def _rounds(
    reader: TableReader, tables: Tables, id_: str, first: object
) -> dict[object, list[Tokens]]:
    """(in, out) of the rounds of each send from the first on."""
    found: dict[object, list[Tokens]] = {}
    for send, into, out in reader.rows(
        "SELECT t.send_index, t.prompt_tokens, t.completion_tokens"
        f" FROM {tables.sql('usage_rounds')} t WHERE t.session_id = ? AND t.send_index >= ?"
        f" ORDER BY t.send_index, t.round_index LIMIT {MOST_SENDS * 100}",
        (id_, first),
    ):
        found.setdefault(send, []).append((cells.amount(into), cells.amount(out)))
    return found


def _send_words(
    number: object, last: object, into: object, out: object, rounds: list[Tokens]
) -> str:
    """The sums of the rounds of a send that were kept; they are numbered from zero to the last."""
    words = f"{count(cells.amount(into))} in, {count(cells.amount(out))} out"
    kept = cells.amount(number)
    every = kept if last is None else cells.amount(last) + 1
    if kept < every:
        words = f"{words} in {count(kept)} of {plural(every, 'round')}, the others were not kept"
    elif kept > 1:
        words = f"{words} in {plural(kept, 'round')}"
    if len(rounds) < 2:
        return words
    parts = "; ".join(f"{count(one)} in, {count(two)} out" for one, two in rounds[:MOST_ROUNDS])
    more = "; …" if len(rounds) > MOST_ROUNDS else ""
    return f"{words}: {parts}{more}"
