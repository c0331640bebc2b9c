"""The tokens that sessions used: in all by their running totals where there are any, else by the
rounds that were kept; and by send and round as far as they are kept.

Rounds are counted from zero within each send. Early releases kept a round by its number alone, so
that each send overwrote the rounds of the one before: what they add up to is too little.
"""

from collections.abc import Collection, Iterator

from explorer.render.figures import count, plural
from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.table_reader import KnownTables, TableReader

Tokens = tuple[int, int]
"""(in, out)"""


def counted_in(schema: KnownTables, tables: Tables) -> Iterator[str]:
    """Where tokens are counted; the first that knows a session is right."""
    needed = ("session_id", "prompt_tokens", "completion_tokens")
    for table in ("session_stats", "usage_rounds"):
        if tables.has(schema, table, *needed):
            yield tables.sql(table)


def tokens(
    reader: TableReader, tables: Tables, ids: Collection[str] | None = None
) -> dict[str, Tokens]:
    """The tokens of these sessions, or of all, by id: two questions for any number of them."""
    total = tables.flavour.total
    figures = f"{total('t.prompt_tokens')}, {total('t.completion_tokens')}"
    found: dict[str, Tokens] = {}
    for table in counted_in(reader.schema, tables):
        select = f"SELECT t.session_id, {figures} FROM {table} t"
        if ids is None:
            rows = reader.rows(f"{select} GROUP BY t.session_id")
        else:
            rows = [
                row
                for batch in batches(id_ for id_ in ids if id_ not in found)
                for row in reader.rows(
                    f"{select} WHERE t.session_id IN ({placeholders(batch)}) GROUP BY t.session_id",
                    batch,
                )
            ]
        for id_, prompt, completion in rows:
            found.setdefault(
                cells.words(id_), (cells.integer(prompt) or 0, cells.integer(completion) or 0)
            )
    return found


MOST_SENDS = 20
"""Sends that are told one by one, the newest."""
MOST_ROUNDS = 8
"""Rounds of a send that are told."""


def undercount(reader: TableReader, tables: Tables, id_: str) -> list[tuple[str, str]]:
    """That the sums are too little, where they are."""
    schema = reader.schema
    if not tables.has(schema, "usage_rounds", "session_id") or tables.has(
        schema, "usage_rounds", "send_index"
    ):
        return []
    sql = f"SELECT 1 FROM {tables.sql('usage_rounds')} t WHERE t.session_id = ?"
    if reader.value(sql, (id_,)) is None:
        return []
    return [("Note", "An undercount: each send overwrote the rounds of the send before it.")]


def usage_by_send(reader: TableReader, tables: Tables, id_: str) -> list[tuple[str, str]]:
    """The tokens of the newest sends, and of their rounds; nothing where rounds are not kept by
    send."""
    needed = ("session_id", "send_index", "round_index", "prompt_tokens", "completion_tokens")
    if not tables.has(reader.schema, "usage_rounds", *needed):
        return []
    table, total = tables.sql("usage_rounds"), tables.flavour.total
    sends = reader.rows(
        f"SELECT t.send_index, count(*), {total('t.prompt_tokens')},"
        f" {total('t.completion_tokens')} FROM {table} t WHERE t.session_id = ?"
        f" GROUP BY t.send_index ORDER BY t.send_index DESC LIMIT {MOST_SENDS + 1}",
        (id_,),
    )
    more = [("Earlier", "older sends are not listed")] if len(sends) > MOST_SENDS else []
    shown = sends[:MOST_SENDS][::-1]
    rounds = _rounds(reader, tables, id_, shown[0][0]) if shown else {}
    told = [
        (f"Send {cells.amount(send) + 1}", _send_words(number, into, out, rounds.get(send, [])))
        for send, number, into, out in shown
    ]
    return [*more, *told]


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


def _send_words(number: object, into: object, out: object, rounds: list[Tokens]) -> str:
    words = f"{count(cells.amount(into))} in, {count(cells.amount(out))} out"
    if len(rounds) < 2:
        return words
    parts = "; ".join(f"{count(one)} in, {count(two)} out" for one, two in rounds[:MOST_ROUNDS])
    more = "; …" if len(rounds) > MOST_ROUNDS else ""
    return f"{words} in {plural(cells.amount(number), 'round')}: {parts}{more}"
