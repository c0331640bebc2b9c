"""What the app says about itself: the state file, the transcript, copying, the help page.

Every text is clean, or made of clean parts. Keys come from the caller: users have their own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from explorer.render.clean import cell_width, fit
from explorer.render.figures import clock, count, plural, when

UNEXPECTED = "Unexpected error"
DEMO_FILE = "Demo data"
DEMO_STATE = "made-up sessions"
DEMO_RESUME = "Demo sessions cannot be resumed"
ONLY_IN_FILE = (
    "This session is only in a file, not in the state file. It can be read, not changed or resumed."
)
PICK = "Pick a session: enter resumes it"
PRINT = "Pick a session: enter prints its id"
PICK_LABELS = {"read": "Resume", "search-read": "Resume", "resume": "", "other-pane": "Read"}
PRINT_LABELS = {"read": "Print id", "search-read": "Print id", "other-pane": "Read"}
"""The footer where enter picks a session."""
SEARCH_HINT = "search all sessions"
CHAT_FILTER = "Filter chats"
CHAT_FILTER_HINT = "ada  platform:telegram  active:7d"
NO_TITLE_TO_COPY = "The session of this chat has no title to resume it by"


def only_in_files(sessions: int) -> str:
    """After a change of several sessions, some of which are only in files."""
    return f"{plural(sessions, 'session')} left out: only in files, which are never changed."


def search_to(label: str) -> str:
    """The hint in the search bar where enter picks a session; `label` is what it does then."""
    return f"search · enter: {label.lower()}"


PRIVATE = "private"
PRIVACY_TITLE = "Privacy"
PRIVACY_ON = "Names, ids and phone numbers are hidden. Names that only occur in text stay visible."
PRIVACY_OFF = "Names, ids and phone numbers are shown."
LOCKED = "busy: locked by another program"
SNAPSHOT = "snapshot: read-only folder"
DAMAGED = "damaged: lists and counts may be wrong"
NOTES_TITLE = "Pins and settings"
READING = "Reading …"
OPENING_LOCKED = "Locked by another program. Trying again …"
GONE = (
    "The state file has disappeared. The list shows what was read last and updates when the file"
    " is back."
)
"""For a file that was there: advice about its path would not help."""
NEW_PROFILE = "New profile"
FIRST_FILE = "There is a state file now"


def damaged_state(names: Sequence[str]) -> str:
    """For the top bar; of several profiles, which are damaged."""
    return f"{', '.join(names)} {DAMAGED}" if names else DAMAGED


def damaged_title(name: str) -> str:
    """The profile, of several."""
    return f"{name}: the state file is damaged" if name else "The state file is damaged"


def first_file(path: str) -> str:
    """For the demo, which is open because there was none."""
    return f"{path} was just made. Quit and start session-explorer again to open it."


def also_listed(names: Sequence[str]) -> str:
    """Profiles that were made while the app was open."""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} now in the list."


CRASHED = "Session Explorer closed unexpectedly last time. Reopen this?"


def without_file(path: str, left: str = "") -> str:
    """Why this is the demo; `left` is what is there instead of the file."""
    return f"no {path}{f', but {left}' if left else ''} · open yours with --db PATH"


def welcome(
    looked: Sequence[str], left: str, read: str, search: str, help_: str, lost: str
) -> list[tuple[str, str]]:
    """What a first start says above the demo, (name, words) a line each: where there was no state
    file (a path, then names in the current folder), what is left of one, how to open one, and the
    keys to start with."""
    still = [("Still there", f"{lost} finds lost sessions: {left}")] if left else []
    return [
        ("Demo data", "Nothing here is real, and nothing you change is kept."),
        ("Not found", " or ".join([looked[0], *(f"{one} in this folder" for one in looked[1:])])),
        *still,
        ("Your file", "session-explorer --db PATH (a state file, or the folder with one)"),
        ("Start with", f"{read} read · {search} search · {help_} help"),
    ]


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


THEME_TITLE = "Theme"


def theme_words(name: str, own: bool) -> str:
    """A theme in the list of them: ours, or one of Textual's."""
    words = name.replace("-", " ").capitalize()
    return f"{words} · Session Explorer" if own else words


READING_FILE = "Still reading the state file. Try again in a moment."
NO_TRASH = "This file cannot be changed here: there is no trash to keep what is deleted."
NO_FILTER = "No filter to remove"
NOTHING_TO_CLEAR = "No search or selection to clear"
ALREADY_READING = "You are reading this session already"
IN_THE_LIST = "You are in the list already"
ALL_SELECTED = "All listed sessions are selected already"
FIRST_HEADING = "This is the first heading"
LAST_HEADING = "This is the last heading"
ALREADY_CHOSEN = "This is chosen already"
NOTHING_TO_CHOOSE = "There is nothing to choose here"
CANNOT_STOP = "This change cannot be stopped"
TOO_EARLY = "That key came before the question was visible. Press it again."
ALL_SHOWN = "There is nothing more to scroll to"


def more_below(key: str) -> str:
    """A text is longer than its dialog."""
    return f"{key} scroll"


def _plain(title: str) -> str:
    """The title of an action in a sentence."""
    return title.removesuffix(" …")


def sessions_known(readable: int, last_read: int) -> str:
    """How many sessions there are, with those of profiles that cannot be read now."""
    every = plural(readable + last_read, "session")
    return f"{every} ({count(last_read)} as last read)" if last_read else every


def no_session(title: str) -> str:
    """Why an action on a session cannot be done."""
    return f"{_plain(title)}: no session is listed"


def no_rows(title: str) -> str:
    return f"{_plain(title)}: the list is empty"


def only_in_list(title: str, back: str) -> str:
    """For a key of the list that was pressed while reading; `back` is the key that goes there."""
    return f"{_plain(title)} works in the list. {back} goes back to it."


def only_while_reading(title: str, read: str) -> str:
    """For a key of the transcript that was pressed in the list; `read` is the key that opens it."""
    return f"{_plain(title)} works while reading. {read} opens the session."


def not_here(key: str, help_key: str) -> str:
    """For any other key that does nothing."""
    return f"“{key}” does nothing here. {help_key} lists the keys."


def no_find(find: str) -> str:
    """The same in a single block."""
    return f"Nothing is being searched for. {find} finds in this block."


def nothing_of_kind(kind: str, shown: bool) -> str:
    """For a fold of all blocks of a kind, where none of them is visible."""
    return f"No {kind} visible here. All {kind} is now {'expanded' if shown else 'collapsed'}."


ONE_PROFILE = "Profiles: only one state file is open"
NO_MESSAGES = "This session has no messages."
NO_ERRORS = "No errors in this session"
ONLY_ERROR = "This is the only error in this session"
NO_BLOCK = "No message here"
NOTHING_FOLDED = "Nothing to expand: this block is shown in full"
NO_REWOUND = "No rewound, repeated or hidden messages in this session"
NO_TIMES = "The messages of this session have no times"
CANNOT_READ = "This session cannot be read now"
READING_SESSION = "Still reading this session. Try again in a moment."
WHOLE_WIDTH = "The transcript already has the full width"
NOTHING_TO_READ = "No session to read"
ONLY_READING = "Not here: go back to the list first."
ONE_PART = "Not a continued conversation"
NOT_FOLLOWED = "Not opened from a subagent link"
NO_SUBAGENT = "This subagent's session is not in this file."
UNSAFE_ID = "Cannot print this session's id: it is not safe on a command line."
UPKEEP_UNKNOWN = "Still checking which sessions Hermes will delete. Try again in a moment."
NO_MATCHES = "no matches"
SEARCHING = "searching …"


def no_prompt(step: int, any_at_all: bool) -> str:
    """There is no further message of the user in a direction."""
    if not any_at_all:
        return "No prompts of yours in this session"
    return f"No {'later' if step > 0 else 'earlier'} prompt of yours"


def no_block(step: int) -> str:
    return f"This is the {'last' if step > 0 else 'first'} block"


def landed(message: int, messages: int, time: str, wanted: str, first: bool) -> str:
    """Where a date has led to."""
    place = f"message {count(message)} of {count(messages)}, {time}"
    return f"All messages are after {wanted}: {place}" if first else place[0].upper() + place[1:]


def all_before(wanted: str, newest: str) -> str:
    """A date that comes after all messages."""
    return f"All messages are before {wanted}: the last one is of {newest}"


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


def reading_title(name: str, alone: bool, back: str, profile: str = "") -> str:
    """The upper border of the transcript; `back` is the key that returns from a subagent, `profile`
    what the session is of, where there are several."""
    parts = (f"{back} back" if back else "", "this part only" if alone else "", profile, name)
    return " · ".join(filter(None, parts))


def match_place(at: int, matches: int, more: bool = False) -> str:
    """Which match this is; `more` while the search goes on."""
    return f"match {count(at)} of {count(matches)}{'+' if more else ''}"


def matches_here(matches: int, more: bool) -> str:
    """How many matches there are, where none was gone to; nothing where there are none."""
    return f"{count(matches)}{'+' if more else ''} matches" if matches else ""


def last_match(place: str) -> str:
    """The last match of a find, which goes round."""
    return f"{place} · last, next is match 1"


def end_of_result(step: int, key: str, beyond: bool) -> str:
    """The last match of a search in one session, or the first where the user goes back; `key` goes
    on to another one if there is one `beyond`."""
    end = "last" if step > 0 else "first"
    if not beyond:
        return f"{end} of the search"
    return f"{end}, {key}: {'next' if step > 0 else 'previous'} result"


class MatchWords(NamedTuple):
    """Which match of a search this is."""

    place: str = ""
    end: str = ""
    """Of the last one, where the next step leads."""
    name: str = ""
    """To this session."""

    def beside(self, rest: str, room: int) -> str:
        """In one line of at most `room` cells; the `rest` of it is left out where the name of the
        session would be cut too short."""
        words = " · ".join(filter(None, (self.place, self.end)))
        least = min(cell_width(self.name), NAME) + 3 if self.name else 0
        if words and cell_width(words) + least + cell_width(rest) + 3 > room:
            rest = ""
        behind = f" · {rest}" if words and rest else rest
        if self.name:
            left = room - cell_width(words) - cell_width(behind) - 3
            words = f"{words} “{fit(self.name, left)}”" if left >= 4 else words
        return f"{words}{behind}"


NAME = 12
"""Cells of a name that say which session it is."""


def no_more_matches(step: int, key: str) -> str:
    """There is no session to go on to; `key` goes the other way."""
    way = "last" if step > 0 else "first"
    return f"This is the {way} match of the search; {key} goes {'back' if step > 0 else 'on'}"


def no_search(search: str, find: str) -> str:
    """There are no matches to step through, in the words of two keys."""
    return f"Nothing to step through: {search} searches all sessions, {find} finds in this one"


COPY_NOTE = "If it does not paste, your terminal blocks copying."
"""Once a run."""


def copied(what: str, characters: int, most: int, editor: str) -> str:
    """What is on the clipboard; `editor` is the key that opens all of it."""
    if characters <= most:
        number = plural(characters, "character")
        return f"Copied {what} ({number})" if what else f"Copied {number}"
    return (
        f"Copied only the first {count(most)} of {plural(characters, 'character')}."
        f" {editor} opens the session in your editor."
    )


def still_changing(stop: str) -> str:
    """Of a key that is pressed while a change is running."""
    return f"A change is in progress. Wait for it, or press {stop} to stop it."


def copied_in_part(taken: int, selected: int, editor: str) -> str:
    """Some messages that the mouse was drawn over are too far from the screen to be copied."""
    return (
        f"Copied only {count(taken)} of {plural(selected, 'message')}: the others are too far away."
        f" {editor} opens the session in your editor."
    )


def nothing_to_copy(what: str) -> str:
    return f"Nothing copied: no {what or 'text'} here"


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
        " `session-explorer config init` writes a settings file that lists them. Drag in a"
        " transcript to copy text. The privacy view hides the people and chats that the file names"
        " as such, and phone numbers; a name that only occurs in text stays visible. Your"
        " terminal's own selection works with shift held down (option on macOS), or without it"
        " after a start with --no-mouse."
    )
