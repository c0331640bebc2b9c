"""A search of a power-loop file, which has no search table, against a bare scan from its end."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from bench.measure import interleaved
from bench.report import Table, at_most, ms, times
from bench.words import vocabulary
from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Request, scan
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.kinds import open_store
from explorer.stores.power_loop.create import LoopFile

LIMIT = 2.0
PAGE = 50
LENGTH = 100
"""Messages of a session."""
BEGAN = 1_700_000_000.0
WORDS = {"in every 70th message": 70, "in every 5,000th": 5000, "in one, the oldest": 0}
"""How often a word is there."""
TEXT = """
The first page of hits in a file of power-loop with {count:,} messages, until as many are found as a
bare newest-first `instr` over the column of the text finds, which stops at {page}. We also look at
tool calls, names and what is noted about a message, and decide on the text as it is shown. The list
is read before, as it is when somebody types.
"""
BARE = """
SELECT m.rowid FROM pl_messages m WHERE instr(lower(m.content), ?) ORDER BY m.rowid DESC LIMIT ?
"""


def loop_search(path: Path, messages: int, rounds: int) -> Table:
    text = TEXT.format(count=messages, page=PAGE)
    table = Table("Searching power-loop", text, ("word", "bare", "here", "x bare", "x (fastest)"))
    store = open_store(path)
    catalog = store.catalog()
    for number, name in enumerate(WORDS):
        word = _word(number)
        cases: dict[str, Callable[[], None]] = {
            "bare": partial(_bare, path, word),
            "here": partial(_here, store, catalog, word),
        }
        took = interleaved(cases, rounds)
        bare, here = took["bare"], took["here"]
        ratio, fastest = here.median / bare.median, here.min / bare.min
        cells = name, ms(bare.median), ms(here.median), times(ratio), times(fastest)
        table.add(*cells, aim=at_most(ratio, LIMIT))
    return table


def _word(number: int) -> str:
    return ("zebrafish", "quetzal", "axolotl")[number]


def _bare(path: Path, word: str) -> None:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        db.execute(BARE, (word, PAGE)).fetchall()


def _here(store: Store, catalog: Catalog, word: str) -> None:
    gathered = Gathered(Request(store, catalog, Matcher(parse(word, BEGAN), BEGAN)))
    for stretch in scan(gathered.request, CancelToken()):
        gathered.add(stretch.found)
        if gathered.total >= PAGE:
            break


def loop_file(folder: Path, messages: int) -> Path:
    """A file of so many messages; built where it is not there."""
    path = folder / f"power-loop-{messages}.db"
    if path.exists():
        return path
    words = vocabulary()
    every = list(WORDS.values())
    with LoopFile.create(path) as file:
        for number in range(messages):
            session, seq = divmod(number, LENGTH)
            id_, at = f"sess_{session:024x}", BEGAN + number
            if not seq:
                file.add_session(id_, at, at, "gpt-5.1")
            text = [words[(number * 7 + step * step) % len(words)] for step in range(60)]
            text += [
                _word(which)
                for which, often in enumerate(every)
                if (number % often == 1 if often else not number)
            ]
            role = "assistant" if seq % 2 else "user"
            file.add_message(id_, seq + 1, seq // 2, role, " ".join(text), at)
    return path
