"""What is not known of sessions whose role may read them, but not every table beside them."""

from explorer.stores.postgres.rights import gaps
from explorer.stores.postgres.schema import TableSet

_DETAILS = "the details of a session lack what is in it"
EFFECTS = {
    "session_leases": "a session that a program holds is marked as running only for two minutes"
    " after its last message",
    "session_state": "interrupted sessions are not marked",
    "session_stats": "tokens are counted from rounds, and may be too few",
    "usage_rounds": "tokens by send are missing, and sums may be too low",
    "compactions": "summaries in a transcript do not say what they replace",
    "schema_migrations": "the version of the tables is unknown",
    **dict.fromkeys(
        (
            *("notes", "timers", "background_tasks", "follow_up_queue", "hook_events"),
            *("project_messages", "session_runtime_state"),
        ),
        _DETAILS,
    ),
}
"""What each table is for."""


def known_gaps(tables: TableSet, role: str) -> tuple[str, ...]:
    """One line for each thing that is missing; none where everything may be read."""
    return gaps(tables, EFFECTS, role)
