"""What can be typed next: commands, options and their values, profiles, sources, changes, and
sessions by id or title; by `PROFILE/ID` where several profiles have the id.

Everything is read, nothing written, and never more than a screen or two of it.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.arguments.commands import COMMANDS, command_parser, parser
from explorer.arguments.parsers import ArgumentParser
from explorer.commands.editing import edits_of
from explorer.commands.stores import chosen_store
from explorer.model import Action, Hidden
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.render.figures import ago
from explorer.settings import notes_path
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import CHAT, ID, TITLE
from explorer.stores.discover import (
    current_folder,
    listed_beside,
    locate,
    profile_root,
    profiles,
)
from explorer.stores.edits.undo_words import changed_words
from explorer.stores.open_found import every_set
from explorer.stores.resolve import names_of_files, profiles_of
from explorer.stores.server_path import on_server

MOST = 100
ABOUT = 60
"""Characters of an explanation."""


_VALUES = re.compile(
    r"(-?(profile|source|platform|chat):)((?:[^,\s\"]*,)*)(?P<quote>\"?)", re.IGNORECASE
)
"""A field whose values only the sessions know, and those that are there already."""
_PLAIN_VALUE = re.compile(r"[\w./-]+")
"""A value that needs no quotes of the search language."""


class Completion(NamedTuple):
    """A word that fits, and what it is."""

    value: str
    about: str = ""

    @property
    def hidden(self) -> "Completion":
        """As the privacy view shows it."""
        return Completion(veil.hidden(self.value), veil.hidden(self.about))


class Completions(NamedTuple):
    """What fits; for a path, the shell knows better."""

    found: Sequence[Completion] = ()
    paths: bool = False


class _Typed:
    """The words before the current one, as far as they are understood."""

    def __init__(self, words: Iterable[str]) -> None:
        self.command = ""
        self.parser: ArgumentParser = parser()
        self.options: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.only_words = False
        self.waiting: argparse.Action | None = None
        """The option whose value comes next."""
        for word in words:
            self._take(word)

    def _take(self, word: str) -> None:
        if self.waiting is not None:
            self.options[self.waiting.option_strings[0]].append(word)
            self.waiting = None
        elif self.only_words:
            self.words.append(word)
        elif word == "--":
            self.only_words = True
        elif word.startswith("-") and len(word) > 1:
            name, joined, value = word.partition("=")
            option = self.parser.known_options.get(name)
            self.options.setdefault(name, []).extend([value] if joined else [])
            if option is not None and option.nargs is None and not joined:
                self.waiting = option
        elif not self.command:
            self.command = word
            if word in COMMANDS:
                self.parser = command_parser(word)
        else:
            self.words.append(word)


def completions(words: Sequence[str], current: str, now: float) -> Completions:
    """What fits at the cursor, after the `words` that follow the program's name."""
    typed = _Typed(words)
    if typed.command and typed.command not in COMMANDS:
        return Completions()
    if typed.waiting is not None:
        return _of_option(typed, typed.waiting, current)
    if not typed.only_words and current.startswith("-"):
        name, joined, value = current.partition("=")
        option = typed.parser.known_options.get(name)
        if not joined:
            return Completions(list(_options(typed, current)))
        if option is None or option.nargs is not None:
            return Completions()
        values = _of_option(typed, option, value).found
        return Completions([one._replace(value=f"{name}={one.value}") for one in values])
    found = _of_command(typed, current, now)
    if not found and not current and typed.command and not typed.only_words:
        found = list(_options(typed, ""))
    return Completions([one.hidden for one in found[:MOST]])


def _options(typed: _Typed, current: str) -> Iterator[Completion]:
    for name, option in typed.parser.known_options.items():
        again = name not in typed.options or isinstance(option, argparse._AppendAction)
        if name.startswith("--") and name.startswith(current) and again:
            yield Completion(name, (option.help or "").partition(":")[0])


def _of_option(typed: _Typed, option: argparse.Action, current: str) -> Completions:
    name = option.option_strings[0]
    if option.metavar == "PATH":
        return Completions(paths=True)
    known: Iterable[str] = option.choices or ()
    if name == "--profile":
        there = typed.options.get("--profile", ())
        known = [one for one in _profiles(typed) if one not in there]
    elif name == "--platform":
        known = _field_values(_store(typed), "platform")
    elif name == "--source":
        known = [one for one in _store(typed).catalog().source_names if _may_be_typed(one)]
    return Completions([Completion(one) for one in known if one.startswith(current)][:MOST])


def _profiles(typed: _Typed) -> list[str]:
    """What `--profile` takes: the profiles in a folder, or the sets of tables in databases."""
    dbs = [one for one in typed.options.get("--db", ()) if one]
    found = locate(dbs, (), os.environ, current_folder()) if dbs or _variable() else []
    if any(on_server(one.path) for one in found):
        return [one.name for one in every_set(found) if on_server(one.path)]
    names = profiles(profile_root(next(iter(dbs), None), os.environ, current_folder()))
    named = dbs or _variable()
    if not named and (beside := listed_beside(os.environ, current_folder())):
        names.append(beside.name)
    return names


def _variable() -> str:
    return os.environ.get("SESSION_EXPLORER_DB", "")


def _of_command(typed: _Typed, current: str, now: float) -> list[Completion]:
    """What fits as the next word of a command."""
    name = typed.command
    if not name:
        known = ((one, about.summary) for one, about in COMMANDS.items())
        return [Completion(*one) for one in known if one[0].startswith(current)]
    word = typed.parser.word(len(typed.words))
    if word is None:
        return []
    if word.choices:
        return [Completion(one) for one in word.choices if one.startswith(current)]
    if word.metavar == "CHANGE" and typed.words[:1] != ["list"]:
        return list(_changes(typed, current, now))
    if word.metavar == "ID" and name == "trash":
        return list(_entries(typed, current)) if typed.words[0] in ("restore", "purge") else []
    if word.metavar == "ID" and "--last" not in typed.options:
        return _sessions(typed, current, now)
    if word.dest in ("query", "words"):
        return list(_query_values(typed, current))
    return []


def _query_values(typed: _Typed, current: str) -> Iterator[Completion]:
    """The values of a field in a query, after those that are there."""
    field = _VALUES.match(current)
    if field is None:
        return
    there, begun = field[3].split(",")[:-1], current[field.end() :]
    name = field[2].lower()
    quote = field["quote"]
    for value in _field_values(_store(typed), name):
        can = '"' not in value and _may_be_typed(value) if quote else _PLAIN_VALUE.fullmatch(value)
        if can and value.startswith(begun) and value not in there:
            yield Completion(f"{field[0]}{value}{quote}")


def _field_values(store: Store, name: str) -> list[str]:
    """What sessions have in a field, the commonest chats first."""
    if name == "profile":
        return profiles_of(store)
    if name == "chat":
        # The first line is what a chat is called, the others are who and what is in it.
        chats = store.columns({CHAT})[CHAT].values()
        names = Counter(name for one in chats for name in one.split("\n") if name)
        return [name for name, _ in names.most_common()]
    if name == "platform":
        found = store.chats(0.0).chats
        return sorted({one.origin.platform for one in found if one.origin.platform})
    return [one for one in store.catalog().source_names if _may_be_typed(one)]


def _store(typed: _Typed) -> Store:
    db, profile = (
        list(filter(None, typed.options.get(name, ()))) for name in ("--db", "--profile")
    )
    if "--private" in typed.options:
        # Late: only the privacy view needs it.
        from explorer.stores.private.view import turn_on

        turn_on(notes_path().parent)
    return chosen_store(argparse.Namespace(db=db, profile=profile))


def _sessions(typed: _Typed, current: str, now: float) -> list[Completion]:
    """Sessions by title or id, the last active first; if nothing was typed, those of the list."""
    store = _store(typed)
    catalog = store.catalog()
    names = _names(store, catalog, typed, current)
    keys = catalog.by_last_active(names)[:MOST]
    rows = {one.key: one for one in store.sessions([catalog.single(key) for key in keys], now)}
    found = []
    for key in keys:
        if key in rows:
            row = rows[key]
            titled = row.title is not None and names[key].endswith(row.title)
            facts = ("" if titled else row.called, row.source, row.place)
            shown = [clean_line(one, ABOUT) for one in (*facts, ago(row.last_active, now)) if one]
            found.append(Completion(names[key], " · ".join(shown)))
    return found


def _names(store: Store, catalog: Catalog, typed: _Typed, current: str) -> dict[int, str]:
    """By row: the title or id that starts with what was typed, after its profile where several have
    it. A title that several sessions of a profile have means none of them, so those are named by
    their ids."""
    known = store.columns({ID, TITLE})
    ids, titles = known[ID], {key: title for key, title in known[TITLE].items() if title}
    profile = _profile_typed(store, current)
    if profile:
        ids = dict(_of_profile(store, ids, profile))
    elif store.places:
        ids = _apart(store, ids)
    usable = {key: one for key, one in _clear(store, titles, profile) if _fits(one, typed)}
    if not current:
        shown = {Hidden.ARCHIVED} if typed.command == Action.UNARCHIVE else set()
        listed, _ = catalog.select(shown)
        if shown:
            listed = [key for key in listed if key in catalog.archived]
        newest = catalog.by_last_active(listed)[:MOST]
        named = {key: usable.get(key, ids.get(key, "")) for key in newest}
        return {key: name for key, name in named.items() if name and _fits(name, typed)}
    found: dict[int, str] = {}
    for fold in (str, str.casefold):
        start = fold(current)
        # The profile before an id that several have is not typed yet.
        found |= {
            key: name
            for key, name in ids.items()
            if fold(known[ID][key]).startswith(start) or fold(name).startswith(start)
        }
        named = {
            key: name
            for key, name in usable.items()
            if fold(titles[key]).startswith(start) or fold(name).startswith(start)
        }
        # After a profile alone, its ids: they are shorter, and explained by the titles.
        found = named | found if profile else found | named
        if found:
            break
    return {key: one for key, one in found.items() if catalog.has(key) and _fits(one, typed)}


def _clear(store: Store, titles: Mapping[int, str], profile: str) -> Iterator[tuple[int, str]]:
    """Titles that mean one session, with the profile before them where that is needed or typed."""
    if profile:
        yield from _of_profile(store, titles, profile)
        return
    counts = Counter(titles.values())
    yield from ((key, title) for key, title in titles.items() if counts[title] == 1)
    if store.places:
        yield from _single(
            {
                key: f"{store.place(key)}/{title}"
                for key, title in titles.items()
                if counts[title] > 1
            }
        )


def _of_profile(store: Store, names: Mapping[int, str], profile: str) -> Iterator[tuple[int, str]]:
    """Ids or titles after the profile that was typed, which may be of several files."""
    at = store.profiles_at
    return _single({key: f"{profile}/{name}" for key, name in names.items() if profile in at(key)})


def _single(names: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Those that one session has."""
    counts = Counter(names.values())
    return ((key, name) for key, name in names.items() if counts[name] == 1)


def _profile_typed(store: Store, current: str) -> str:
    """The profile that what was typed begins with, if any."""
    names = names_of_files(store) if store.places else ()
    return max((name for name in names if current.startswith(f"{name}/")), key=len, default="")


def _apart(store: Store, ids: Mapping[int, str]) -> dict[int, str]:
    """Ids that several profiles have with the profile before them."""
    counts = Counter(ids.values())
    return {
        key: id_ if counts[id_] == 1 else f"{store.place(key)}/{id_}" for key, id_ in ids.items()
    }


def _fits(name: str, typed: _Typed) -> bool:
    """Whether it can be typed here, and was not yet."""
    dashed = name.startswith("-") and not typed.only_words
    return not dashed and name not in typed.words and _may_be_typed(name)


def _may_be_typed(name: str) -> bool:
    """Whether it can be an argument at all."""
    if not name.strip() or "\0" in name:
        return False
    return name.encode("utf-8", "replace").decode("utf-8") == name


def _changes(typed: _Typed, current: str, now: float) -> Iterator[Completion]:
    """Those that `trash` lists, by the same numbers."""
    for one in edits_of(_store(typed)).trash.receipts():
        if str(one.shown).startswith(current):
            about = f"{clean_line(changed_words(one), ABOUT)} · {ago(one.made, now)}"
            yield Completion(str(one.shown), about)


def _entries(typed: _Typed, current: str) -> Iterator[Completion]:
    """The sessions that a change deleted, by id; by `PROFILE/ID` where several have the id."""
    number = typed.words[1]
    if not number.isdecimal():
        return
    trash = edits_of(_store(typed)).trash
    for change in trash.receipts():
        if change.shown != int(number):
            continue
        entries = trash.entries(change.number)
        counts = Counter(one.session for one in entries)
        for one in entries:
            several = one.place and counts[one.session] > 1
            name = f"{one.place}/{one.session}" if several else one.session
            if (name.startswith(current) or one.session.startswith(current)) and _fits(name, typed):
                yield Completion(name, clean_line(one.title or "", ABOUT))
