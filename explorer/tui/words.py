"""What the app says about itself: the state file, the transcript, copying, the help page.

Every text is clean, or made of clean parts. Keys come from the caller: users have their own.
"""

from explorer.render.figures import clock, count, plural, when

UNEXPECTED = "Unexpected error"
DEMO_FILE = "Demo data"
DEMO_STATE = "made-up sessions"
DEMO_RESUME = "Demo sessions cannot be resumed"

LOCKED = "busy: locked by another program"
SNAPSHOT = "snapshot: read-only folder"
DAMAGED = "damaged: lists and counts may be wrong"
DAMAGED_TITLE = "The state file is damaged"
NOTES_TITLE = "Pins and settings"
READING = "Reading …"
OPENING_LOCKED = "Locked by another program. Trying again …"
GONE = (
    "The state file has disappeared. The list shows what was read last and updates when the file"
    " is back."
)
"""For a file that was there: advice about its path would not help."""
CRASHED = "Session Explorer closed unexpectedly last time. Reopen this?"


def without_file(path: str) -> str:
    """Why this is the demo."""
    return f"no {path} · open yours with --db PATH"


RECENT = 60.0
"""Seconds since the last write within which a file is not idle."""


def file_state(written: float, now: float, live: bool) -> str:
    """When the file was last written; `live` if an agent seems to have it open."""
    if now - written < RECENT:
        seconds = f"written {max(int(now - written), 0)} s ago"
        return f"live · {seconds}" if live else seconds
    return f"idle · last written {when(written, now)}"


def last_read(problem: str, now: float) -> str:
    """What is wrong, and how old the list is."""
    return f"{problem} · last read {clock(now)}"


def left_open(query: str, session: str | None) -> list[str]:
    """What was open when the app crashed, a line each."""
    lines = [f"Search: {query}"] if query else []
    return lines if session is None else [*lines, f"Session: {session}"]


NO_MESSAGES = "This session has no messages."
NO_ERRORS = "No errors in this session"
ONE_PART = "Not a continued conversation"
NOT_FOLLOWED = "Not opened from a subagent link"
NO_SUBAGENT = "This subagent's session is not in this file."
UNSAFE_ID = "Cannot print this session's id: it is not safe on a command line."
UPKEEP_UNKNOWN = "Still checking which sessions Hermes will delete. Try again in a moment."
NO_MATCHES = "no matches"
SEARCHING = "searching …"


def new_below(messages: int, key: str) -> str:
    """Messages that were added below what is visible; `key` goes there."""
    return f"↓ {plural(messages, 'new message')} below · {key}: go to the end"


def reading_place(at: int, messages: int | None, level: str, everything: bool) -> str:
    """The lower border of the transcript; `messages` is None while they are being counted."""
    of_all = "" if messages is None else f" of {count(messages)}"
    parts = (
        f"tools {level}" if level else "",
        "+ rewound and repeated messages" if everything else "",
        f"message {count(at)}{of_all}",
    )
    return " · ".join(filter(None, parts))


def reading_title(name: str, alone: bool, back: str) -> str:
    """The upper border of the transcript; `back` is the key that returns from a subagent."""
    parts = (f"{back} back" if back else "", "this part only" if alone else "", name)
    return " · ".join(filter(None, parts))


def match_place(at: int, matches: int, more: bool = False) -> str:
    """Which match this is; `more` while the search goes on."""
    return f"{count(at)} of {count(matches)}{'+' if more else ''}"


COPY_NOTE = "If it does not paste, your terminal blocks copying."
"""Once a run."""


def copied(what: str, characters: int, most: int, editor: str) -> str:
    """What is on the clipboard; `editor` is the key that opens all of it."""
    if characters <= most:
        return f"Copied {what} ({plural(characters, 'character')})"
    return (
        f"Copied only the first {count(most)} of {plural(characters, 'character')}."
        f" {editor} opens the session in your editor."
    )


def nothing_to_copy(what: str) -> str:
    return f"Nothing copied: no {what} here"


def exited(program: str, code: int) -> str:
    return f"{program} exited with code {code}."


MOVED_ON = "Cancelled: you had moved on. Nothing was changed; press the key again."
STARTING = "Starting …"
STOPPING = "Stopping …"


def pace(messages_per_second: float, left: str) -> str:
    """How fast a change is, and how long it still takes."""
    return f"{plural(round(messages_per_second), 'message')} per second · {left} left"


MARKS = (
    ("✱", "unread: new since you last opened it in your agent, or marked as unread"),
    ("●", "running: not ended, last active less than 10 minutes ago"),
    ("○", "never ended: last active more than 10 minutes ago"),
    ("✗", "stopped midway: a tool call failed or got no result, or the answer was cut off"),
    ("↪3", "continued: compressed into 3 parts, read as one conversation"),
    ("⌥", "branch of another session"),
    ("↳", "subagent session; ↳3: has 3 subagents"),
    ("▣", "archived: hidden by default, always searched"),
    ("⊘", "hidden by the agent in its own lists"),
    ("★", "pinned: listed first, even if its class is hidden"),
    ("◷", "Hermes will delete it within 7 days; ◷?: it may delete it"),
    ("◷▣", "Hermes will archive it at its next start"),
    ("◌", "in a hidden class, listed because you asked for it"),
    ("◇", "hidden by Hermes: an upgrade mistook it for a subagent session; not lost"),
)


def help_words(undo: str, hidden: str) -> str:
    """What to know first; `undo` and `hidden` are keys."""
    return (
        "Session Explorer only reads your agent's state file until you ask for a change. Every"
        f" change can be undone with {undo}, except a permanent delete from the trash. Hidden"
        f" sessions are counted below the list; {hidden} shows them. All keys can be changed:"
        " `session-explorer config init` writes a settings file that lists them."
    )
