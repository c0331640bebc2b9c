"""Hermes' codes in words: why a session ended, who named it, how sure its cost is."""

END_REASONS = {
    "explorer_close": "ended in Session Explorer",
    "cli_close": "closed in the terminal",
    "new_session": "a new session was started",
    "resumed_other": "another session was resumed",
    "branched": "branched into another session",
    "compression": "compressed, and continued in the next part",
    "orphaned_compression": "compressed, but what continued it is gone",
    "cron_complete": "the scheduled job was done",
    "agent_close": "closed by the agent",
    "session_reset": "reset: the chat began a new session",
    "session_switch": "the chat went on with another session",
    "idle": "reset after a time without a message",
    "daily": "reset by the daily schedule",
    "suspended": "suspended",
    "resume_pending_expired": "waited too long to be resumed",
    "tui_close": "closed in the agent's own screen",
    "tui_shutdown": "the agent's own screen was shut down",
    "ws_disconnect": "its connection was closed",
    "ws_orphan_reap": "cleaned up after its connection was lost",
    "idle_timeout": "closed after a time without use",
    "lru_evict": "closed to make room for newer ones",
    "superseded_by_resume": "resumed as another session",
    "startup_orphan_reap": "found open and cleaned up at a later start",
}
TITLE_SOURCES = {
    "user": "given by you",
    "llm": "given by the agent",
    "derived": "derived from the first message",
    "branch": "taken over from the session it branched off",
    "branch_fallback": "made of that of the session it branched off",
}
COST_STATUSES = {
    "actual": "what the provider charged",
    "estimated": "estimated from list prices",
    "unknown": "the agent knew no price",
    "included": "included in a plan, not paid by use",
}


def in_words(code: str, words: dict[str, str]) -> str:
    """The words with the code behind them, for who looks for it; an unknown code as it is."""
    return f"{words[code]} ({code})" if code in words else code
