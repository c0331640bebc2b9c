"""Writes new state files of Hermes' schema 22: for the demo, for import and for tests.

Counters are kept as Hermes 0.19 keeps them, and every time comes in as an argument: the same calls
make the same rows. Names, columns, their order and their defaults are those of a file that Hermes
0.19 makes itself, so that it opens ours without changing anything. The tables for Telegram topics
are missing on purpose: Hermes adds them when topics are turned on.
"""

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence

from explorer.errors import ExplorerError
from explorer.stores.content import MARKER
from explorer.stores.sqlite.new_file import NewFile

VERSION = 22

_TABLES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    user_id TEXT, session_key TEXT, chat_id TEXT, chat_type TEXT, thread_id TEXT,
    display_name TEXT, origin_json TEXT, expiry_finalized INTEGER DEFAULT 0,
    model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT,
    started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
    message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0,
    reasoning_tokens INTEGER DEFAULT 0,
    cwd TEXT, git_branch TEXT, git_repo_root TEXT,
    billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT,
    estimated_cost_usd REAL, actual_cost_usd REAL,
    cost_status TEXT, cost_source TEXT, pricing_version TEXT,
    title TEXT,
    api_call_count INTEGER DEFAULT 0,
    handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT,
    compression_failure_cooldown_until REAL, compression_failure_error TEXT,
    compression_fallback_streak INTEGER NOT NULL DEFAULT 0,
    profile_name TEXT,
    rewind_count INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT,
    timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT,
    reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
    codex_reasoning_items TEXT, codex_message_items TEXT,
    platform_message_id TEXT,
    observed INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0,
    api_content TEXT
);

CREATE TABLE session_model_usage (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    billing_provider TEXT NOT NULL DEFAULT '', billing_base_url TEXT NOT NULL DEFAULT '',
    billing_mode TEXT NOT NULL DEFAULT '', task TEXT NOT NULL DEFAULT '',
    api_call_count INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    estimated_cost_usd REAL NOT NULL DEFAULT 0, actual_cost_usd REAL NOT NULL DEFAULT 0,
    cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL,
    PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)
);

CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);

CREATE TABLE gateway_routing (
    scope TEXT NOT NULL DEFAULT '',
    session_key TEXT NOT NULL,
    entry_json TEXT NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (scope, session_key)
);

CREATE TABLE compression_locks (
    session_id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    acquired_at REAL NOT NULL,
    expires_at REAL NOT NULL
);

CREATE TABLE async_delegations (
    delegation_id TEXT PRIMARY KEY,
    origin_session TEXT NOT NULL,
    origin_ui_session_id TEXT NOT NULL DEFAULT '',
    parent_session_id TEXT,
    state TEXT NOT NULL,
    dispatched_at REAL NOT NULL, completed_at REAL, updated_at REAL NOT NULL,
    event_json TEXT, result_json TEXT,
    delivery_state TEXT NOT NULL DEFAULT 'pending',
    delivery_attempts INTEGER NOT NULL DEFAULT 0,
    delivered_at REAL,
    owner_pid INTEGER, owner_started_at INTEGER,
    task_json TEXT,
    delivery_claim TEXT, delivery_claimed_at REAL
);
"""

_INDICES = """
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_source_id ON sessions(source, id);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX idx_compression_locks_expires ON compression_locks(expires_at);
CREATE INDEX idx_session_model_usage_session ON session_model_usage(session_id);
CREATE INDEX idx_session_model_usage_model ON session_model_usage(model);
CREATE INDEX idx_async_delegations_delivery ON async_delegations(delivery_state, completed_at);
CREATE INDEX idx_messages_platform_msg_id ON messages(session_id, platform_message_id)
    WHERE platform_message_id IS NOT NULL;
CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp);
CREATE INDEX idx_messages_active_null ON messages(active) WHERE active IS NULL;
CREATE INDEX idx_sessions_session_key ON sessions(session_key, started_at DESC);
CREATE INDEX idx_sessions_gateway_peer
    ON sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC);
CREATE INDEX idx_sessions_handoff_state ON sessions(handoff_state, started_at);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
"""


def _search_table(name: str, options: str) -> str:
    """A table that keeps its own copy of the text, and the triggers that keep it true."""
    add = f"""INSERT INTO {name}(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' '
            || COALESCE(new.tool_calls, '')
    );"""
    drop = f"DELETE FROM {name} WHERE rowid = old.id;"
    return f"""
CREATE VIRTUAL TABLE {name} USING fts5({options});
CREATE TRIGGER {name}_insert AFTER INSERT ON messages BEGIN {add} END;
CREATE TRIGGER {name}_delete AFTER DELETE ON messages BEGIN {drop} END;
CREATE TRIGGER {name}_update AFTER UPDATE ON messages BEGIN {drop} {add} END;
"""


SCHEMA = (
    _TABLES
    + _INDICES
    + _search_table("messages_fts", "content")
    + _search_table("messages_fts_trigram", "content, tokenize='trigram'")
    + f"INSERT INTO schema_version (version) VALUES ({VERSION});"
)


TITLE_LIMIT = 100
"""Hermes refuses longer titles."""

_BEGIN = "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE;"
_SURROGATES = re.compile("[\ud800-\udfff]")

_ARCHIVE = """
WITH RECURSIVE
  link(earlier, later) AS (
    SELECT parent.id, child.id FROM sessions parent
      JOIN sessions child ON child.parent_session_id = parent.id
      WHERE parent.end_reason = 'compression'),
  before(id) AS (SELECT :id UNION SELECT earlier FROM link JOIN before ON id = later),
  after(id) AS (SELECT :id UNION SELECT later FROM link JOIN after ON id = earlier)
UPDATE sessions SET archived = :archived
  WHERE id IN (SELECT id FROM before UNION SELECT id FROM after)
"""


class StateFile(NewFile):
    """A state file in the making."""

    TABLES = _BEGIN + SCHEMA

    def create_session(
        self,
        session_id: str,
        source: str,
        *,
        started_at: float,
        model: str | None = None,
        model_config: Mapping[str, object] | None = None,
        system_prompt: str | None = None,
        parent: str | None = None,
        title: str | None = None,
        cwd: str | None = None,
        git_branch: str | None = None,
        git_repo_root: str | None = None,
        profile: str | None = None,
        user_id: str | None = None,
        session_key: str | None = None,
        chat_id: str | None = None,
        chat_type: str | None = None,
        thread_id: str | None = None,
        display_name: str | None = None,
        origin: Mapping[str, object] | None = None,
    ) -> None:
        """A session without messages. A parent must be there before its children."""
        self._insert(
            "sessions",
            id=session_id,
            source=source,
            started_at=started_at,
            model=model,
            model_config=_json(model_config),
            system_prompt=_text(system_prompt),
            parent_session_id=parent,
            cwd=cwd,
            git_branch=git_branch,
            git_repo_root=git_repo_root,
            profile_name=profile,
            user_id=user_id,
            session_key=session_key,
            chat_id=chat_id,
            chat_type=chat_type,
            thread_id=thread_id,
            display_name=display_name,
            origin_json=_json(origin),
        )
        if title is not None:
            self.set_title(session_id, title)

    def set_route(self, session_key: str, entry: Mapping[str, object], updated_at: float) -> None:
        """Which session is going on in a chat, for a gateway in any folder."""
        self._insert(
            "gateway_routing",
            scope="",
            session_key=session_key,
            entry_json=_json(entry) or "{}",
            updated_at=updated_at,
        )

    def append_message(
        self,
        session_id: str,
        role: str,
        content: str | Sequence[object] | Mapping[str, object] | None = None,
        *,
        timestamp: float,
        tool_calls: Sequence[Mapping[str, object]] | None = None,
        tool_call_id: str | None = None,
        tool_name: str | None = None,
        finish_reason: str | None = None,
        reasoning: str | None = None,
        reasoning_content: str | None = None,
        reasoning_details: Sequence[object] | None = None,
        codex_reasoning_items: Sequence[object] | None = None,
        codex_message_items: Sequence[object] | None = None,
        observed: bool = False,
    ) -> int:
        """The id of the new row. `message_count` grows by one, `tool_call_count` by the calls."""
        row = self._insert(
            "messages",
            session_id=session_id,
            role=role,
            content=_text(content) if isinstance(content, str) else _parts(content),
            timestamp=timestamp,
            tool_calls=_json(tool_calls),
            tool_call_id=tool_call_id,
            tool_name=_text(tool_name),
            finish_reason=finish_reason,
            reasoning=_text(reasoning),
            reasoning_content=_text(reasoning_content),
            reasoning_details=_json(reasoning_details),
            codex_reasoning_items=_json(codex_reasoning_items),
            codex_message_items=_json(codex_message_items),
            observed=int(observed),
        )
        self._db.execute(
            "UPDATE sessions SET message_count = message_count + 1,"
            " tool_call_count = tool_call_count + ? WHERE id = ?",
            (len(tool_calls or ()), session_id),
        )
        return row

    def end_session(self, session_id: str, ended_at: float, reason: str) -> None:
        """The first reason wins: ending an ended session changes nothing."""
        self._db.execute(
            "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL",
            (ended_at, reason, session_id),
        )

    def set_title(self, session_id: str, title: str | None) -> None:
        if title is not None and len(title) > TITLE_LIMIT:
            raise ExplorerError("Title too long", f"A title has at most {TITLE_LIMIT} characters.")
        try:
            self._update(session_id, title=_text(title))
        except sqlite3.IntegrityError:
            message = f"“{title}” is the title of another session."
            raise ExplorerError("Title taken", message) from None

    def set_archived(self, session_id: str, archived: bool) -> None:
        """Archive or unarchive the whole conversation that the session is part of."""
        self._db.execute(_ARCHIVE, {"id": session_id, "archived": int(archived)})

    def set_usage(
        self,
        session_id: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | None,
        status: str,
        *,
        actual_cost: float | None = None,
        cost_source: str | None = None,
        cache_read_tokens: int = 0,
        reasoning_tokens: int = 0,
        api_calls: int = 0,
        provider: str | None = None,
        billing_mode: str | None = None,
    ) -> None:
        """Totals of the session. Hermes stores an unknown `cost` as zero: `status` tells."""
        self._update(
            session_id,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            estimated_cost_usd=cost or 0.0,
            cost_status=status,
            actual_cost_usd=actual_cost,
            cost_source=cost_source,
            cache_read_tokens=cache_read_tokens,
            reasoning_tokens=reasoning_tokens,
            api_call_count=api_calls,
            billing_provider=provider,
            billing_mode=billing_mode,
        )

    def rewind(self, session_id: str, from_message_id: int) -> None:
        """Rewind to before a message of the user; the counters do not change."""
        target = self._db.execute(
            "SELECT role FROM messages WHERE id = ? AND session_id = ?",
            (from_message_id, session_id),
        ).fetchone()
        if target != ("user",):
            raise ValueError(f"message {from_message_id} of {session_id} is not the user's")
        self._db.execute(
            "UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND active = 1",
            (session_id, from_message_id),
        )
        count = "UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?"
        self._db.execute(count, (session_id,))

    def compact(self, session_id: str, message_ids: Sequence[int]) -> None:
        """Mark messages as summarised away; the counters become those of what is left."""
        self._db.executemany(
            "UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND id = ?",
            [(session_id, row) for row in message_ids],
        )
        self._db.execute(
            "UPDATE sessions SET (message_count, tool_call_count) = ("
            " SELECT count(*), coalesce(sum(json_array_length(coalesce(tool_calls, '[]'))), 0)"
            " FROM messages WHERE session_id = sessions.id AND active = 1) WHERE id = ?",
            (session_id,),
        )

    def _update(self, session_id: str, **values: str | float | None) -> None:
        pairs = ", ".join(f"{name} = ?" for name in values)
        sql = f"UPDATE sessions SET {pairs} WHERE id = ?"
        self._db.execute(sql, (*values.values(), session_id))


def _text(value: str | None) -> str | None:
    """Text as SQLite can store it: Hermes replaces lone surrogates in the same way."""
    return None if value is None else _SURROGATES.sub("\ufffd", value)


def _json(value: object) -> str | None:
    return json.dumps(value) if value else None


def _parts(content: Sequence[object] | Mapping[str, object] | None) -> str | None:
    return None if content is None else MARKER + json.dumps(content)
