"""The words of the details: the labels of columns, and what the codes of Hermes mean."""

from collections.abc import Mapping

from explorer.model import Kind

COUNTS = {
    "message_count": "Messages",
    "tool_call_count": "Tool calls",
    "api_call_count": "Model calls",
    "rewind_count": "Rewinds",
}
WHERE = {
    "source": "Source",
    "created_source": "Started in",
    "display_name": "Chat name",
    "chat_type": "Chat type",
    "chat_id": "Chat id",
    "thread_id": "Thread",
    "user_id": "User",
    "session_key": "Session key",
    "profile_name": "Owner",
    "transport_profile": "Transport profile",
    "cwd": "Workspace",
    "git_repo_root": "Repository",
    "git_branch": "Git branch",
    "origin_json": "Origin",
    "handoff_state": "Handoff",
    "handoff_platform": "Handed off to",
    "handoff_error": "Handoff error",
}
MODEL = {"billing_provider": "Provider", "billing_base_url": "Base URL"}
TOKENS = {
    "input_tokens": "Input",
    "output_tokens": "Output",
    "cache_read_tokens": "Cache read",
    "cache_write_tokens": "Cache write",
    "reasoning_tokens": "Reasoning",
}
KINDS = {
    Kind.BRANCH: ("branch of another session", "Branch of", "Branches"),
    Kind.SUBAGENT: ("subagent session", "Subagent of", "Subagents"),
    Kind.CONTINUATION: ("part of a conversation", "Continues", "Continued by"),
    Kind.ROOT: ("top-level session", "Follows", "Followed by"),
}
"""The kind of a session, the label of its parent, and the label of such children."""
END_REASONS = {
    "explorer_close": "ended in Session Explorer",
    "cli_close": "closed in the terminal",
    "new_session": "a new session was started",
    "resumed_other": "another session was resumed",
    "branched": "branched into another session",
    "compression": "compressed, continued in the next part",
    "orphaned_compression": "compressed, but the next part is missing",
    "cron_complete": "scheduled job finished",
    "agent_close": "closed by the agent",
    "session_reset": "chat reset: it continues in a new session",
    "session_switch": "the chat switched to another session",
    "idle": "chat reset after inactivity",
    "daily": "daily chat reset",
    "suspended": "suspended",
    "resume_pending_expired": "not resumed in time",
    "tui_close": "closed in the Hermes TUI",
    "tui_shutdown": "the Hermes TUI shut down",
    "ws_disconnect": "connection closed",
    "ws_orphan_reap": "cleaned up after a lost connection",
    "idle_timeout": "closed after inactivity",
    "lru_evict": "closed to make room for newer sessions",
    "superseded_by_resume": "resumed as another session",
    "startup_orphan_reap": "left open, cleaned up at a later start",
}
TITLE_SOURCES = {
    "user": "set by you",
    "llm": "set by the agent",
    "derived": "first message",
    "branch": "copied from the parent session",
    "branch_fallback": "based on the title of the parent session",
}
BILLING_MODES = {"api_key": "API key", "subscription_included": "included in a subscription"}
COST_STATUSES = {
    "actual": "charged by the provider",
    "estimated": "estimated from list prices",
    "unknown": "no known price",
    "included": "included in a plan",
}
CODED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "title_source": ("Title source", TITLE_SOURCES),
    "billing_mode": ("Billing", BILLING_MODES),
    "cost_status": ("Status", COST_STATUSES),
    "cost_source": ("Prices", {}),
    "end_reason": ("End reason", END_REASONS),
}
"""Columns that hold a code: their label, and the words for the codes."""

NOT_RECORDED = "not recorded"
UNREAD = "marked as unread"
HIDDEN = "yes, by the agent (not in its own lists)"
RESTORED = "by Hermes: an upgrade mistook it for a subagent session. Nothing is lost."
AUTO_ARCHIVED = "yes, automatically by the agent"
NO_TOOLS = "names not stored in this file"
GONE = "no longer in this file"
THIS_PART = "this part"


def in_words(column: str, code: str) -> str:
    """What a code means; an unknown one without underscores."""
    return CODED[column][1].get(code) or code.replace("_", " ")
