"""What the list says: how many sessions it lists, which are hidden and why, how it is sorted, what
a search found, which filters are on. Nothing is hidden silently, however little room there is.

Keys come from the caller, since users can change them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.browse.arrangement import CLASSES, SORTS, Arranged, Found, Wish
from explorer.errors import NoFileYet, Problem, ServerError, StoreError, closest
from explorer.model import IN_FILE, Hidden, Session, owner_and_file, whose
from explorer.render.clean import cell_width, clean_line, fit_middle
from explorer.render.figures import count, listed, plural
from explorer.search.filters import Filters, Moment
from explorer.search.language.chips import understood_parts
from explorer.search.language.query import Query
from explorer.search.words import day_chip
from explorer.stores.base import Store, UnreadableStore

EMPTY = "No sessions yet. Start one in your agent, and it appears here."
NOTHING_TO_EXPAND = "Nothing to expand"
RESULTS = "Search results"
DATE_HINT = "A date (2026-03-01, 2026-03, yesterday) or how long ago (7d, 12h)"
MOMENT_HINT = "A date (2026-03-01, yesterday), a time (14:30, yesterday 14:00) or 7d, 12h ago"
EXACT_ID = "Exact id"
IN_TITLE = "In the title"
SIMILAR_TITLES = "Similar titles"
LAST_ACTIVE_FIRST = "Last active first"
HIT_IN = {
    "content": "",
    "tool_calls": "tool call: ",
    "tool_name": "tool: ",
    "reasoning": "reasoning: ",
    "result": "result: ",
}
"""Where in a message a hit is."""


_FILTERED = ("filtered out", "filtered")


class ListKeys(NamedTuple):
    """Keys that the list names."""

    show_hidden: str
    remove_filter: str
    clear_search: str
    profiles: str = ""
    find_lost: str = ""


class Chip(NamedTuple):
    """An active filter in words, and the name to remove it by; without a name, a part of the
    search, which is not removed here."""

    name: str
    words: str


def border(arranged: Arranged, room: int, key: str) -> str:
    """The counts in the lower border of the list, as many as fit; `key`, if there is one, shows
    hidden sessions."""
    forms = list((_found_counts if arranged.found else _counts)(arranged, key))
    return next((form for form in forms if len(form) <= room), forms[-1])


def first_border(listed: int) -> str:
    """While nothing else has been counted."""
    return f"{count(listed)} shown · counting …"


def _counts(arranged: Arranged, key: str) -> Iterator[str]:
    """From the longest form to the shortest. In each of them the numbers add up to all sessions;
    words are shortened before reasons are left out, the smallest classes before the larger."""
    hidden, filtered = _by_class(arranged.hidden)
    folded = arranged.hidden.get(Hidden.CONTINUATION, 0)
    listed = count(arranged.listed)
    shows = f" ({key} shows)" if key else ""
    out, short_out = (f" · {count(filtered)} {word}" if filtered else "" for word in _FILTERED)
    parts = f" · {plural(folded, 'part')} folded" if folded else ""
    short_parts = f" · {count(folded)} folded" if folded else ""
    if not hidden and folded:
        one, many = "part folded into its conversation", "parts folded into their conversations"
        yield f"{listed} listed{out} · {plural(folded, f'earlier {one}', f'earlier {many}')}"
    if not hidden:
        yield f"{listed} listed{out}{parts}"
        yield f"{listed} listed{short_out}{short_parts}"
    for kept in range(len(hidden), 0, -1):
        named = [f"{count(number)} {name.words}" for name, number in hidden[:kept]]
        if others := sum(number for _, number in hidden[kept:]):
            named.append(f"{count(others)} other")
        classes = ", ".join(named)
        yield f"{listed} listed · hidden: {classes}{shows}{out}{parts}"
        yield f"{listed} listed · hidden: {classes}{short_out}{short_parts}{shows}"
        yield f"{listed} listed · hidden: {classes}{short_out}{short_parts}"
        yield f"{listed} listed · {classes}{short_out}{short_parts}"
    every = sum(number for _, number in hidden)
    if hidden:
        yield f"{listed} listed · {count(every)} hidden{short_out}{short_parts}{shows}"
        yield f"{listed} listed · {count(every)} hidden{short_out}{short_parts}"
        yield f"{listed} · {count(every)} hidden{short_out}{short_parts}"
    total = arranged.listed + every + filtered + folded
    yield f"{listed} of {count(total)} listed"
    yield f"{listed} of {count(total)}"


def _found_counts(arranged: Arranged, key: str) -> Iterator[str]:
    """What a search found beside what is listed; an empty list says so itself, in more words."""
    hidden, filtered = _by_class(arranged.hidden)
    listed = f"{count(arranged.listed)} listed"
    if not arranged.listed:
        yield listed
        return
    out = f" · {count(filtered)} filtered out" if filtered else ""
    if not hidden:
        yield f"{listed} · {_matches(arranged, filtered, 'more ')} filtered out" if out else listed
        return
    more = _matches(arranged, sum(number for _, number in hidden), "more ")
    where, shows = f"{more} in {_named(hidden)} sessions", f" ({key} shows){out}"
    yield f"{listed} · {where} · {key} includes them{out}"
    yield f"{listed} · {where}{shows}"
    yield f"{where}{shows}"
    yield f"{more} in hidden sessions{shows}"
    yield f"{more} hidden{shows}"
    yield f"{more} hidden{out}"


def _by_class(hidden: Mapping[Hidden, int]) -> tuple[list[tuple[Hidden, int]], int]:
    """(classes that a key shows, the largest first; how many are filtered out)."""
    others = (Hidden.CONTINUATION, Hidden.FILTERED)
    classes = [(name, number) for name, number in hidden.items() if name not in others]
    return sorted(classes, key=lambda item: -item[1]), hidden.get(Hidden.FILTERED, 0)


def _named(hidden: Iterable[tuple[Hidden, int]]) -> str:
    return listed([name.words for name, _ in hidden])


def _matches(arranged: Arranged, number: int, more: str = "") -> str:
    """Hits, or of a search for sessions matches."""
    if arranged.found and arranged.found.sessions:
        return plural(number, f"{more}match", f"{more}matches")
    return plural(number, f"{more}hit")


def in_place_of_rows(
    arranged: Arranged,
    wish: Wish,
    total: int,
    keys: ListKeys,
    missing: Sequence[UnreadableStore] = (),
) -> str:
    """The text of an empty list, of a file with `total` sessions; `missing` are profiles that
    cannot be read, of those that are asked for."""
    only = wish.filters.profiles
    if len(only) == 1 and wish.filters == Filters(profiles=only) and not arranged.found:
        return _nothing_of(next(iter(only)), arranged, keys, missing)
    names = ", ".join(named_unreadable(missing))
    more = f" Unreadable: {names}. Press {keys.profiles} to see why." if names else ""
    return f"{_nothing_listed(arranged, wish, total, keys)}{more}"


def _nothing_of(
    name: str, arranged: Arranged, keys: ListKeys, missing: Sequence[UnreadableStore]
) -> str:
    """Why nothing is listed of the one profile that was chosen."""
    words, back = profile_words(name), f" Press {keys.remove_filter} to list all profiles."
    hidden = _by_class(arranged.hidden)[0]
    for one in missing:
        # One without a file may have sessions in those of others.
        if one.name == name and (unreadable(one.error) or not hidden):
            return f"{words}: {clean_line(one.error.title)}. {profile_remedy(one.error)}{back}"
    if hidden:
        return f"All sessions of {words} are hidden. Press {keys.show_hidden} to show them.{back}"
    return f"{words} has no sessions yet.{back}"


def _nothing_listed(arranged: Arranged, wish: Wish, total: int, keys: ListKeys) -> str:
    if arranged.found:
        return _no_match(arranged, arranged.found.result.query.text, keys)
    if wish.filters != Filters():
        return (
            f"No session matches these filters. Press {keys.remove_filter} to remove the last one."
        )
    return f"All sessions are hidden. Press {keys.show_hidden} to show them." if total else EMPTY


def _no_match(arranged: Arranged, text: str, keys: ListKeys) -> str:
    hidden, filtered = _by_class(arranged.hidden)
    if not hidden and not filtered:
        words = clean_line(text.strip(), 60)
        nothing = f"No matches for “{words}”. Try fewer words, or {keys.clear_search} to clear."
        lost = f" Press {keys.find_lost} to search other profiles, the trash and snapshots too."
        return f"{nothing}{lost if keys.find_lost else ''}"
    said = ["No visible session matches."]
    if hidden:
        found = _matches(arranged, sum(number for _, number in hidden))
        where = f"{found} in hidden {_named(hidden)} sessions"
        said.append(f"{where}: press {keys.show_hidden} to include them.")
    if filtered:
        said.append(f"{_matches(arranged, filtered)} filtered out. Remove a filter to see more.")
    return " ".join(said)


def sorted_by(wish: Wish) -> str:
    """How the list is sorted."""
    return f"{SORTS[wish.sort]}{' (reversed)' if wish.reverse else ''}"


def not_selected_now(number: int) -> str:
    return (
        f"No longer selected: {plural(number, 'session')}. Deleted by another program, or the"
        " state file was replaced."
    )


def selected(number: int, missing: int) -> str:
    """How many rows are selected, and how many of them a filter or a search hides."""
    if not number:
        return ""
    unseen = f", {count(missing)} not shown" if missing else ""
    return f"{count(number)} selected{unseen}"


def in_text(best: bool, ranked: bool) -> str:
    """The heading of what was found in messages."""
    order = ("best first" if ranked else "most hits first") if best else "newest first"
    return f"In the text, {order}"


def excerpt_head(field: str, hits: int, complete: bool) -> str:
    """What comes before the words around a hit; while the search goes on there may be more."""
    if hits < 2:
        return HIT_IN[field]
    number = plural(hits, "hit") if complete else f"{count(hits)}+ hits"
    return f"{number} · {HIT_IN[field]}"


def id_starts(listed: int, total: int, more: bool = False) -> str:
    """The heading of sessions whose id starts with what was typed; `more` than were counted."""
    if listed == total and not more:
        return "Id starts with"
    return f"Id starts with · {listed} of {count(total)}{'+' if more else ''}"


def pinned_words(pinned: bool, sessions: int) -> str:
    """After a pin in our own notes."""
    return f"{'Pinned' if pinned else 'Unpinned'} {plural(sessions, 'session')}"


def lineage_title(shown: int, total: int, place: str = "") -> str:
    """`place` is the profile, where there are several."""
    nearest = "" if shown == total else f"nearest {count(shown)} of {plural(total, 'session')}"
    return " · ".join(filter(None, ("Lineage", profile_words(place), nearest)))


def filters_title(counted: Arranged | None, room: int) -> str:
    """What is listed and what is not, as the border of the list says it; None while that is being
    counted."""
    head = "Filters · "
    return f"{head}{border(counted, room - len(head), '') if counted else 'counting …'}"


def outcome(arranged: Arranged) -> str:
    """The result of a search, for the right end of the bar."""
    found = arranged.found
    if found is None:
        return ""
    took = f"{found.seconds * 1000:,.0f} ms" if found.seconds < 10 else f"{found.seconds:,.0f} s"
    result = found.result
    if found.sessions:
        sessions = plural(arranged.listed, "session")
        return f"{sessions} · {took}" if result.complete else f"{result.done:.0%} searched"
    kinds = ((result.total, "hit"), (found.titles, "title"), (found.ids, "id"))
    named = " and ".join(plural(number, name) for number, name in kinds if number)
    hits = f"{named or '0 hits'} in {plural(arranged.listed - found.alike, 'session')}"
    if found.alike:
        hits = f"{hits if named else 'no hits'} · {plural(found.alike, 'similar title')}"
    if found.trouble:
        return f"{found.trouble} · {hits}"
    return f"{hits} · {took}" if result.complete else f"{hits} · {result.done:.0%} searched"


def understood(query: Query) -> list[Chip]:
    """What the search bar understood of the query, and what it did not."""
    said = [Chip("", clean_line(words, 60)) for _, words in understood_parts(query)]
    return said + [Chip("", clean_line(note, 200)) for note in query.notes]


def scanned_because(found: Found) -> list[Chip]:
    """Why every message was read, although the file has a search table."""
    trouble = found.result.trouble
    return [Chip("", f"slow search: {trouble}")] if trouble else []


def chips(wish: Wish, excepted: int) -> list[Chip]:
    """What is on: shown classes, then filters, then exceptions."""
    found = []
    if wish.shown.issuperset(CLASSES):
        found.append(Chip("classes", "+ hidden sessions"))
    else:
        found += [
            Chip(f"class {name}", f"+ {name.words} sessions")
            for name in CLASSES
            if name in wish.shown
        ]
    filters = wish.filters
    found += [Chip(f"source {name}", source_words(name)) for name in sorted(filters.sources)]
    found += [Chip(f"profile {name}", profile_chip(name)) for name in sorted(filters.profiles)]
    found += [Chip(f"model {name}", model_words(name)) for name in sorted(filters.models)]
    found += [
        Chip(f"workspace {name}", workspace_chip(name)) for name in sorted(filters.workspaces)
    ]
    said = {
        "since": filters.since and f"active {_day('after', filters.since)}",
        "before": filters.before and f"last active {_day('before', filters.before)}",
        "least": filters.least and f"at least {plural(filters.least, 'message')}",
        "tools": filters.tools and "with tool calls",
        "unread": filters.unread and "unread",
        "expiring": filters.expiring and "expiring",
        "revealed": excepted and f"+ {plural(excepted, 'session')} you opened",
    }
    return found + [Chip(name, words) for name, words in said.items() if isinstance(words, str)]


def _day(field: str, moment: Moment) -> str:
    return day_chip(field, clean_line(moment.words, 30).lower())


def without(wish: Wish, name: str) -> Wish:
    """The wish with one of its chips removed."""
    kind, _, value = name.partition(" ")
    filters = wish.filters
    if kind == "classes":
        return wish._replace(shown=frozenset())
    if kind == "class":
        return wish._replace(shown=wish.shown - {Hidden(value)})
    if kind == "revealed":
        return wish._replace(revealed=frozenset())
    if kind == "source":
        filters = filters._replace(sources=filters.sources - {value})
    elif kind == "profile":
        filters = filters._replace(profiles=filters.profiles - {value})
    elif kind == "model":
        filters = filters._replace(models=filters.models - {value})
    elif kind == "workspace":
        filters = filters._replace(workspaces=filters.workspaces - {value})
    else:
        filters = filters._replace(**{kind: getattr(Filters(), kind)})
    return wish._replace(filters=filters)


def source_words(name: str) -> str:
    return clean_line(name, 60) or "no source"


def model_words(name: str) -> str:
    """A model without the maker's path before it."""
    words = clean_line(name, 60)
    return words.rpartition("/")[2] or words or "no model"


def workspace_words(name: str) -> str:
    return clean_line(name, 200) or "no workspace"


def workspace_chip(name: str) -> str:
    """A folder without those that it is in."""
    words = clean_line(name, 200).rstrip("/")
    return f"in {words.rpartition('/')[2] or words}" if words else "no workspace"


def profile_words(name: str) -> str:
    return fit_middle(clean_line(name, 255), 60)


def profile_chip(name: str) -> str:
    return f"profile {profile_words(name)}"


def profile_of(session: Session) -> str:
    """The profile of a session, where those of several are listed."""
    return profile_words(whose(session.owner, session.profile, session.place))


LEAST_NAME = 3
"""Cells that a name is cut to at least beside another one."""


def profile_in(session: Session, cells: int) -> str:
    """The same, cut to at most so many cells: both names rather than what stands between them."""
    of, in_file = owner_and_file(session.owner, session.profile, session.place)
    room = cells - len(IN_FILE)
    if not of or room < 2 * LEAST_NAME:
        return fit_middle(profile_of(session), cells)
    owner, place = profile_words(of), profile_words(in_file)
    owner = fit_middle(owner, max(room // 2, room - cell_width(place)))
    return f"{owner}{IN_FILE}{fit_middle(place, room - cell_width(owner))}"


def unreadable(error: StoreError) -> bool:
    """Whether something is wrong with a profile that cannot be read: some have no file yet."""
    return not isinstance(error, NoFileYet)


TRIED_AGAIN = "It is tried again by itself."
"""Of a server, as long as the app is open."""
_TRIED_AGAIN = (
    *(Problem.UNREACHABLE, Problem.LOGIN_REFUSED, Problem.NO_DATABASE, Problem.NO_PERMISSION),
)

_REMEDIES = {
    Problem.BUSY: "Locked by another program. The sessions appear when the lock is released.",
    Problem.MISSING: "The state file has disappeared. The sessions update when it is back.",
}
"""Where the usual advice is for a command, which does not try again by itself."""


def profile_remedy(error: StoreError) -> str:
    """Why a profile cannot be read, and what to do."""
    if isinstance(error, ServerError):
        again = f" {TRIED_AGAIN}" if error.problem in _TRIED_AGAIN else ""
        return clean_line(error.message + again, 600)
    usual = isinstance(error, NoFileYet) or error.problem not in _REMEDIES
    return clean_line(error.message, 600) if usual else _REMEDIES[error.problem]


def unreadable_names(store: Store) -> list[str]:
    """The profiles that cannot be read now."""
    return named_unreadable(store.troubles)


def named_unreadable(troubles: Iterable[UnreadableStore]) -> list[str]:
    """Those of these with which something is wrong."""
    return [profile_words(one.name) for one in troubles if unreadable(one.error)]


def profiles_fact(number: int, missing: int, key: str) -> str:
    """How many profiles there are, and how many cannot be read; `key` says why."""
    every = plural(number, "profile")
    return f"{every} · {count(missing)} unreadable ({key})" if missing else every


NONE_OF_ITS_OWN = "No sessions in its own file"
"""Of a profile that has sessions in the files of others."""


def profiles_title(profiles: int, sessions: int, files: int) -> str:
    """`files` are sessions that exist only in text files: the top bar does not count them."""
    every = (plural(profiles, "profile"), plural(sessions, "session"), *file_only(files))
    return " · ".join(every)


def file_only(number: int) -> list[str]:
    """So many sessions that exist only in text files, as the list says it; nothing for none."""
    return [f"{count(number)} {Hidden.FILE.words}"] if number else []


def chats_title(listed: int | None, every: int, filtered: str, sort: str) -> str:
    """`listed` is None until they are counted."""
    if listed is None:
        return "Chats …"
    said = plural(every, "chat") if listed == every else f"{listed:,} of {plural(every, 'chat')}"
    shown = f"matching “{clean_line(filtered, 60)}”" if filtered else ""
    return " · ".join(filter(None, (said, shown, f"by {sort}" if sort else "")))


def no_chat_matches(filtered: str) -> str:
    return f"No chat matches “{clean_line(filtered, 60)}”. Escape shows all chats."


def no_such_platform(unknown: Sequence[str], known: Sequence[str]) -> list[str]:
    """The platforms that there are, the closest ones of a wrong name if any are close."""
    return [
        f"No platform “{clean_line(name, 30)}”: {', '.join(closest(name, known) or known)}"
        for name in unknown
    ]


def not_searched(names: Sequence[str], key: str) -> list[Chip]:
    """The profiles that a search could not look into; `key` says why."""
    return [Chip("", f"not searched: {', '.join(names)} ({key})")] if names else []


NO_ROWS = "No filter matches. esc shows all."
MORE_WORKSPACES = "type to find more"
NO_DATE_ORDER = "Sort by last active or by start to go to a date."
NO_DATE_SEARCH = "Clear the search to go to a date, or add on:DATE to it."
NOTHING_LISTED = "No sessions are listed."
NO_ONLY = "Nothing to filter by: no session under the cursor."

NOTHING_ONLY = "Nothing to filter by: this session has neither a workspace nor a model."


def only_words(kind: str, name: str) -> str:
    """What a list is narrowed to, of the row under the cursor."""
    return f"Only {kind} {name}"


def not_on_day(words: str, is_moment: bool, older: bool) -> str:
    """Where a date without sessions led to."""
    nearest = "This is the nearest older one." if older else "This is the oldest one."
    return f"No session {'at' if is_moment else 'on'} {words}. {nearest}"
