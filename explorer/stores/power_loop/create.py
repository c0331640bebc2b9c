"""Writes new files as power-loop 8.0 makes them: for the demo.

Names, columns, their order and their defaults are those of a file that power-loop makes itself.
"""

import json
from collections.abc import Mapping, Sequence

from explorer.stores.sqlite.new_file import NewFile

VERSION = 9
_SCHEMA = """
CREATE TABLE pl_schema_migrations (id INTEGER PRIMARY KEY CHECK (id=1), version INTEGER NOT NULL);
CREATE TABLE pl_sessions (
    session_id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, system_prompt TEXT, model TEXT,
    config_json TEXT, status TEXT NOT NULL DEFAULT 'active',
    kind TEXT NOT NULL DEFAULT 'root', parent_session_id TEXT,
    spawn_tool_call_id TEXT, spawn_depth INTEGER NOT NULL DEFAULT 0,
    lifecycle TEXT NOT NULL DEFAULT 'ephemeral', metadata_json TEXT);
CREATE INDEX pl_idx_sessions_parent ON pl_sessions(parent_session_id);
CREATE TABLE pl_messages (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL,
    name TEXT, content TEXT, tool_calls_json TEXT, tool_call_id TEXT,
    round_index INTEGER, state TEXT NOT NULL DEFAULT 'active', meta_json TEXT,
    send_index INTEGER, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq));
CREATE INDEX pl_idx_messages_session_state ON pl_messages(session_id, state, seq);
CREATE TABLE pl_compactions (
    session_id TEXT NOT NULL, compact_seq INTEGER NOT NULL, note_seq INTEGER NOT NULL,
    from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL, before_tokens INTEGER,
    after_tokens INTEGER, round_index INTEGER, created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, compact_seq));
CREATE TABLE pl_usage_rounds (
    session_id TEXT NOT NULL, send_index INTEGER NOT NULL DEFAULT 0,
    round_index INTEGER NOT NULL, prompt_tokens INTEGER,
    completion_tokens INTEGER, total_tokens INTEGER, cached_tokens INTEGER, model TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, send_index, round_index));
CREATE TABLE pl_session_state (
    session_id TEXT PRIMARY KEY, next_seq INTEGER NOT NULL DEFAULT 1,
    round_index INTEGER NOT NULL DEFAULT 0, last_compact_seq INTEGER NOT NULL DEFAULT 0,
    pending_json TEXT);
CREATE TABLE pl_session_runtime_state (
    session_id TEXT NOT NULL, state_key TEXT NOT NULL, value_json TEXT,
    updated_at INTEGER NOT NULL, PRIMARY KEY (session_id, state_key));
CREATE TABLE pl_shared_state (
    owner TEXT NOT NULL, state_key TEXT NOT NULL, value_json TEXT,
    updated_at INTEGER NOT NULL, PRIMARY KEY (owner, state_key));
CREATE TABLE pl_background_tasks (
    session_id TEXT NOT NULL, task_id TEXT NOT NULL, command TEXT NOT NULL,
    status TEXT NOT NULL, return_code INTEGER, output_tail TEXT, output_path TEXT,
    last_seen_at INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, PRIMARY KEY (session_id, task_id));
CREATE INDEX pl_idx_background_tasks_session_status
    ON pl_background_tasks(session_id, status, updated_at);
CREATE TABLE pl_session_stats (
    session_id TEXT PRIMARY KEY, sends INTEGER NOT NULL DEFAULT 0,
    rounds INTEGER NOT NULL DEFAULT 0, llm_calls INTEGER NOT NULL DEFAULT 0,
    tool_calls INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0, total_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    first_send_at INTEGER, last_send_at INTEGER, updated_at INTEGER NOT NULL);
CREATE TABLE pl_timers (
    session_id TEXT NOT NULL, timer_id INTEGER NOT NULL, due_at INTEGER NOT NULL,
    note TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'armed', interval_s INTEGER,
    fire_count INTEGER NOT NULL DEFAULT 0, last_fired_at INTEGER,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, timer_id));
CREATE INDEX pl_idx_timers_due ON pl_timers(status, due_at);
CREATE TABLE pl_notes (
    session_id TEXT NOT NULL, note_id INTEGER NOT NULL, content TEXT NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, PRIMARY KEY (session_id, note_id));
CREATE TABLE pl_project_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL, send_index INTEGER NOT NULL, kind TEXT NOT NULL,
    content_json TEXT NOT NULL, rendered_text TEXT,
    source_seq_lo INTEGER, source_seq_hi INTEGER,
    compact_from_send INTEGER, compact_to_send INTEGER,
    projector_version INTEGER NOT NULL DEFAULT 0, token_estimate INTEGER,
    created_at INTEGER NOT NULL, UNIQUE (session_id, send_index, kind));
CREATE INDEX pl_idx_project_messages_session_kind
    ON pl_project_messages(session_id, kind, send_index);
CREATE TABLE pl_hook_events (
    session_id TEXT NOT NULL, event_id INTEGER NOT NULL, message_seq INTEGER,
    round_index INTEGER, send_index INTEGER, hook_point TEXT NOT NULL, hook TEXT,
    position TEXT, kind TEXT NOT NULL, payload_json TEXT, created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, event_id));
CREATE INDEX pl_idx_hook_events_session_msg ON pl_hook_events(session_id, message_seq);
CREATE TABLE pl_session_leases (
    session_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL,
    acquired_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    fence INTEGER NOT NULL DEFAULT 1);
CREATE TABLE pl_follow_up_queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    item_id TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'user',
    mode TEXT NOT NULL DEFAULT 'queue', status TEXT NOT NULL DEFAULT 'pending',
    content TEXT NOT NULL, meta_json TEXT, claim_token TEXT, claimed_at INTEGER,
    created_at INTEGER NOT NULL, delivered_at INTEGER, delivered_seq INTEGER,
    delivered_send_index INTEGER);
CREATE UNIQUE INDEX pl_uq_inbox_item ON pl_follow_up_queue(session_id, item_id);
CREATE INDEX pl_idx_inbox_session_status ON pl_follow_up_queue(session_id, status, id);
CREATE TABLE pl_context_cache (
    cache_key VARCHAR(64) PRIMARY KEY, executor_key VARCHAR(64) NOT NULL,
    owner_session_id VARCHAR(200) NOT NULL, status VARCHAR(20) NOT NULL,
    payload_json TEXT NOT NULL, summary TEXT, result_hash VARCHAR(64),
    lease_token VARCHAR(64), lease_until BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL, accessed_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
    retry_at BIGINT NOT NULL DEFAULT 0);
CREATE TABLE pl_context_attempts (
    attempt_id VARCHAR(64) PRIMARY KEY, cache_key VARCHAR(64) NOT NULL,
    owner_session_id VARCHAR(200) NOT NULL, outcome VARCHAR(20) NOT NULL,
    record_json TEXT NOT NULL, delivered INTEGER NOT NULL DEFAULT 0,
    accounted INTEGER NOT NULL DEFAULT 0, created_at BIGINT NOT NULL);
CREATE INDEX pl_context_due ON pl_context_cache (executor_key,status,retry_at,created_at);
CREATE INDEX pl_context_running ON pl_context_cache (status,lease_until);
CREATE INDEX pl_context_lru ON pl_context_cache (status,accessed_at);
CREATE INDEX pl_context_outbox ON pl_context_attempts (accounted,delivered,created_at);
CREATE INDEX pl_context_attempt_key ON pl_context_attempts (cache_key,outcome);
CREATE INDEX pl_context_attempt_owner ON pl_context_attempts (owner_session_id,created_at);
"""
_VERSIONED = f"INSERT INTO pl_schema_migrations (id, version) VALUES (1, {VERSION});"
_BEGIN = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE;"


class LoopFile(NewFile):
    """A file in the making."""

    TABLES = _BEGIN + _SCHEMA + _VERSIONED

    def add_session(
        self,
        id_: str,
        created_at: float,
        updated_at: float,
        model: str,
        system_prompt: str | None = None,
        title: str | None = None,
        parent: str | None = None,
        call: str | None = None,
        depth: int = 0,
        lifecycle: str = "ephemeral",
    ) -> None:
        """`parent` and `call` are the session and the tool call that a subagent was started by, at
        this `depth`."""
        self._insert(
            "pl_sessions",
            session_id=id_,
            created_at=_milliseconds(created_at),
            updated_at=_milliseconds(updated_at),
            system_prompt=system_prompt,
            model=model,
            config_json="{}" if parent else _json({"max_rounds": 20}),
            kind="subagent" if parent else "root",
            parent_session_id=parent,
            spawn_tool_call_id=call,
            spawn_depth=depth,
            lifecycle=lifecycle,
            metadata_json=_json({"title": title} if title else {}),
        )

    def add_message(
        self,
        session: str,
        seq: int,
        turn: int,
        role: str,
        content: str | None,
        at: float,
        calls: Sequence[Mapping[str, object]] = (),
        call: str | None = None,
        tool: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        """`turn` counts what a person has said before; `call` and `tool` are of a result."""
        self._insert(
            "pl_messages",
            session_id=session,
            seq=seq,
            role=role,
            name=tool,
            content=content,
            tool_calls_json=_json(calls) if calls else None,
            tool_call_id=call,
            round_index=turn,
            meta_json=_json(meta or {}),
            send_index=turn,
            created_at=_milliseconds(at),
        )

    def set_state(
        self,
        session: str,
        messages: int,
        turns: int,
        waits_for: Sequence[Mapping[str, object]] = (),
    ) -> None:
        """What power-loop counts on: the number of the next message, and of the next turn; and the
        tool calls that a session still waits for."""
        pending = {
            "assistant_seq": messages,
            "round_index": turns,
            "tool_call_ids": [call.get("id") for call in waits_for],
            "tool_calls": list(waits_for),
        }
        self._insert(
            "pl_session_state",
            session_id=session,
            next_seq=messages + 1,
            round_index=turns,
            pending_json=_json(pending) if waits_for else None,
        )

    def fold(
        self, session: str, messages: int, note: str, tokens: tuple[int, int], at: float
    ) -> None:
        """Compress the first messages of a session into a note."""
        ((seq,),) = self._db.execute(
            "SELECT next_seq FROM pl_session_state WHERE session_id = ?", (session,)
        ).fetchall()
        before, after = tokens
        about = {"from_seq": 1, "to_seq": messages, "ord": 1}
        self.add_message(session, seq, 0, "system", note, at, tool="compact_note", meta=about)
        self._insert(
            "pl_compactions",
            session_id=session,
            compact_seq=1,
            note_seq=seq,
            from_seq=1,
            to_seq=messages,
            before_tokens=before,
            after_tokens=after,
            round_index=0,
            created_at=_milliseconds(at),
        )
        self._db.execute(
            "UPDATE pl_messages SET state = 'compacted_out' WHERE session_id = ? AND seq <= ?",
            (session, messages),
        )
        self._db.execute(
            "UPDATE pl_session_state SET next_seq = ?, last_compact_seq = 1 WHERE session_id = ?",
            (seq + 1, session),
        )

    def set_usage(
        self, session: str, turn: int, tokens: tuple[int, int, int], model: str, at: float
    ) -> None:
        """(tokens in, tokens out, those of them that were cached) of a turn."""
        into, out, cached = tokens
        self._insert(
            "pl_usage_rounds",
            session_id=session,
            send_index=turn,
            round_index=turn,
            prompt_tokens=into,
            completion_tokens=out,
            total_tokens=into + out,
            cached_tokens=cached,
            model=model,
            created_at=_milliseconds(at),
        )


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
