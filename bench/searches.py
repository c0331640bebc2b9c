"""What is searched for in the invented histories: one query of each kind that people type."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from bench.words import phrases, vocabulary

PAGE = 50

BARE = """
SELECT m.id, m.session_id, m.timestamp, snippet({table}, 0, '[', ']', '…', 40)
FROM {table} f CROSS JOIN messages m ON m.id = f.rowid
WHERE {table} MATCH ? ORDER BY f.rowid DESC LIMIT ?
"""
# No search table has two characters: a search reads messages until there is a page.
BARE_SCAN = """
SELECT id, session_id, timestamp, content FROM messages
WHERE instr(content, ?) ORDER BY id DESC LIMIT ?
"""


class Searched(NamedTuple):
    """A kind of query."""

    kind: str
    typed: str
    """As typed here; the last letter is the key that is measured."""
    asked: str
    """The same for Hermes' own search, and for a table of words."""
    finds: bool = True
    common: bool = False

    @property
    def is_scanned(self) -> bool:
        return len(self.asked) < 3


def searched(path: Path) -> tuple[Searched, ...]:
    """The queries for a history."""
    pair = _pair(path)
    rare = vocabulary()[-1]
    return (
        Searched("rare word", rare, rare),
        Searched("common word", "docker", "docker", common=True),
        Searched("prefix", "dock*", "dock*", common=True),
        Searched("phrase", f'"{pair}', f'"{pair}"'),
        Searched("two words", "docker kubernetes", "docker kubernetes", common=True),
        Searched("two Chinese characters", "部署", "部署"),
        Searched("no match", "qqzzxxyy", "qqzzxxyy", finds=False),
    )


def _pair(path: Path) -> str:
    """Two words that occur beside each other, not too often."""
    sentences = phrases(1).sentences
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        for sentence in sentences:
            words = sentence.rstrip(".?!:").split()
            pair = " ".join(words[-2:])
            count = "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?"
            (found,) = db.execute(count, (f'"{pair}"',)).fetchone()
            if "'" not in pair and found >= 2:
                return pair
    raise ValueError("no two words stand beside each other")


def bare(db: sqlite3.Connection, searched: Searched) -> None:
    """The bare query, newest first, on a connection that stays open."""
    if searched.is_scanned:
        db.execute(BARE_SCAN, (searched.asked, PAGE)).fetchall()
    else:
        db.execute(BARE.format(table="messages_fts"), (searched.asked, PAGE)).fetchall()
