"""Prune by rules: rules on the left, the conversations that they match on the right."""

from collections.abc import Callable, Mapping, Sequence

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import DescendantFocus, Resize

from explorer.browse.arrangement import Arranged, classes_of
from explorer.browse.choices import ChoiceRow
from explorer.browse.headings import headings
from explorer.browse.prune_choices import ALL_KEPT, NO_MATCH, rule_rows, span_words, typed_span
from explorer.browse.row_columns import ColumnChoice, endless
from explorer.browse.words import profile_words
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import OWN_CLASSES, Action, Hidden, Sort
from explorer.render.clean import clean, clean_line
from explorer.search.language.query import LONGEST, parse
from explorer.search.language.vocabulary import span
from explorer.search.prune_rules import (
    KEPT,
    PRESETS,
    Chosen,
    Ground,
    Rules,
    by_profile,
    choose,
    ground,
    holding,
    without,
)
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import BYTES, ID
from explorer.stores.resolve import names_of_files
from explorer.tui.agent_commands import offer_room
from explorer.tui.dialogs.attention import FocusPlace, place
from explorer.tui.dialogs.base import Closing, ask_for
from explorer.tui.dialogs.choices import Several
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.edits.confirm import EditLane, EditSubject, confirm
from explorer.tui.edits.undo import undo
from explorer.tui.edits.words import (
    ANY_TIME,
    CHECKING,
    CLASS_WORDS,
    KEPT_SIGN,
    LOADING,
    SPANS,
    STILL_APPLYING,
    kept_words,
    number_words,
    query_words,
    removed_words,
)
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of, scope_of
from explorer.tui.list.session_list import SessionList
from explorer.tui.reading.reading_pane import ReadScreen
from explorer.tui.themes import NARROW
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.widgets.choice_list import ChoiceList
from explorer.tui.words import ALREADY_CHOSEN, READING_FILE
from explorer.tui.workers import Lanes

MANY = 3_000
"""Conversations from which on the plan for them takes long enough to be announced."""


class RuleList(ChoiceList):
    """What will be removed, by which rules, and what is kept."""

    BINDINGS = bindings("prune")
    IN_SIGHT = 3

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus


class PruneList(SessionList, inherit_bindings=False):
    """What the rules match. Those of them that are kept say so by a word: a tick would mark them
    as what is removed."""

    BINDINGS = bindings("prune-list")
    SELECTED = " "

    def action_keep_none(self) -> None:
        self.selection.clear()
        self.refresh()
        self.post_message(self.SelectionChanged())


class PruneScreen(Closing[None]):
    """Rules, and the conversations that they match."""

    sessions = getters.query_one(PruneList)
    rules = getters.query_one(RuleList)

    def __init__(
        self, lane: EditLane, store: Store, catalog: Catalog, selected: frozenset[int]
    ) -> None:
        """`selected` are rows of the list."""
        super().__init__()
        self._lane = lane
        self._store = store
        self._catalog = catalog
        self._selected = selected
        self._pins = lane.lister.wish.pins
        self._clock = lane.clock
        self._lanes = Lanes(self)
        # What the list does not show is not pruned unasked.
        self._profiles = lane.lister.wish.filters.profiles
        self._query = lane.lister.searched.strip()
        self._rules = Rules(only=selected) if selected else self._first_rules()
        self._ground: Ground | None = None
        self._owners: Sequence[str] = ()
        """The profiles that sessions belong to."""
        self._chosen: Chosen | None = None
        self._chosen_by: Rules | None = None
        """The rules that it came of: others may be typed while all messages are searched."""
        self._matching: frozenset[int] = frozenset()
        """Its rows: some of them may be kept by hand."""
        self._weights: Mapping[int, int] | None = None
        self._bytes = 0
        """Of all that is chosen, once there are weights."""

    def _first_rules(self) -> Rules:
        return PRESETS["Empty sessions"]._replace(profiles=self._profiles, query=self._query)

    def compose(self) -> ComposeResult:
        with Horizontal(id="panes"):
            yield RuleList("prune-rules")
            yield PruneList(self._clock(), id="prune-list")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.rules.border_title = Content("Prune")
        self.sessions.note = LOADING
        self.sessions.columns = ColumnChoice(
            sources=self._store.keeps_sources,
            profiles=bool(self._store.places),
            endless=endless(self._store),
        )
        self.set_focus(self.rules)
        self._begin()

    @on(DescendantFocus)
    def _say_keys(self) -> None:
        self.query_one(KeyBar).scope = scope_of(self.focused.id if self.focused else None)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.sessions.fit_to(event.size.height)

    def _begin(self) -> None:
        """Read what the rules ask about; how much text there is takes longest, so it comes last."""
        store, catalog, pins = self._store, self._catalog, self._pins
        kept = self._lane.kept
        self._ground = self._weights = self._chosen_by = None
        self._show()

        def read(token: CancelToken) -> tuple[Ground, frozenset[int], list[str]]:
            keys = store.keys_of(sorted(kept), token).values() if kept else ()
            tips = catalog.tips(frozenset(filter(catalog.has, keys)))
            known = ground(store, catalog, pins, token)
            return known, tips, known.owners()

        def take(found: tuple[Ground, frozenset[int], list[str]]) -> None:
            self._ground, kept, self._owners = found
            names = (*names_of_files(store), *self._owners)
            self._rules = by_profile(self._rules, names, self._clock())
            self.sessions.selection.add(sorted(kept))
            self._keep()
            self._choose()
            self._lanes.start("weights", weigh, take_weights)

        def take_weights(weights: Mapping[int, int]) -> None:
            self._weights = weights
            self._choose()

        def weigh(token: CancelToken) -> Mapping[int, int]:
            found: dict[int, int] = {}
            for key, number in store.columns({BYTES}, token=token)[BYTES].items():
                tip = catalog.tip(key)
                found[tip] = found.get(tip, 0) + number
            return found

        self._lanes.start("ground", read, take)

    def _choose(self) -> None:
        """Apply the rules anew."""
        known, rules, now = self._ground, self._rules, self._clock()
        weights = self._weights or {}
        if known is None:
            return

        def work(token: CancelToken) -> tuple[Chosen, Arranged, frozenset[int], int]:
            fits = holding(known, rules.query, now, token)
            chosen = choose(known, rules, fits, now)
            order = list(chosen.rows)
            days = headings(known.catalog, order[::-1], Sort.ACTIVE, {}, now)
            arranged = Arranged(order[::-1], days, {}, len(order))
            weight = sum(weights.get(row, 0) for row in order)
            return chosen, arranged, frozenset(order), weight

        def take(found: tuple[Chosen, Arranged, frozenset[int], int]) -> None:
            self._chosen, arranged, self._matching, self._bytes = found
            self._chosen_by = rules
            self.sessions.note = NO_MATCH
            self.sessions.show(arranged)
            self._show()

        def refused(why: ExplorerError) -> None:
            self.notify(clean(why.message), title=why.title, markup=False)

        self._lanes.start("choose", work, take, refused)

    @on(SessionList.SelectionChanged)
    def _keep(self) -> None:
        """Remember what is kept by its ids: a number in the file may be another session's, once
        the agent has tidied up."""
        if self._ground is not None:
            ids, store = self._ground.columns[ID], self._store
            kept = self.sessions.selection.keys
            self._lane.kept = frozenset(store.noted_id(row, ids[row]) for row in kept if row in ids)
        self._show()

    def _show(self) -> None:
        """Only what is kept by hand is gone through here: the rest was counted in a thread."""
        chosen, known, kept = self._chosen, self._ground, self._kept()
        size = None
        if chosen is not None and known is not None:
            chosen = without(known, chosen, kept)
        if self._weights is not None:
            weights = self._weights
            size = self._bytes - sum(weights.get(row, 0) for row in kept)
        key = keymap_of(self.app).key("prune-change")
        self.rules.show(rule_rows(self._rules, chosen, size, self._selected, key, self._store))
        amount = (chosen.conversations, chosen.sessions) if chosen else (0, 0)
        self.sessions.border_title = Content(removed_words(*amount))
        self.sessions.border_subtitle = Content(kept_words(len(kept)))
        self.sessions.foresee(dict.fromkeys(kept, KEPT_SIGN))

    def _kept(self) -> frozenset[int]:
        """Those of the rows that match which the user keeps."""
        return frozenset(row for row in self.sessions.selection.keys if row in self._matching)

    @on(SessionList.RowsWanted)
    def _read_rows(self, event: SessionList.RowsWanted) -> None:
        store, catalog, now = self._store, self._catalog, self._clock()
        units = [catalog.folded(row) for row in event.rows if catalog.has(row)]
        self._lanes.start(
            "rows",
            lambda token: store.sessions(units, now, token),
            lambda rows: self.sessions.add_rows({row.key: row for row in rows}),
        )

    @on(SessionList.Opened)
    def _read(self, event: SessionList.Opened) -> None:
        row = self.sessions.row(event.row)
        if row is not None:
            screen = ReadScreen(self._store, self._catalog, row, self._clock)
            self.app.push_screen(screen)

    @on(RuleList.Chosen)
    def _change(self, event: RuleList.Chosen) -> None:
        row = event.row
        if isinstance(row.choice, Rules):
            self._set(row.choice)
        elif row.name == "profiles":
            self._ask_profiles()
        elif row.name == "sources":
            self._ask_sources()
        elif row.name == "classes":
            self._ask_classes()
        elif row.name == KEPT:
            self.sessions.action_keep_none()
        else:
            self._ask(row)

    def _set(self, rules: Rules) -> None:
        if rules == self._rules:
            hint(self, ALREADY_CHOSEN)
        self._rules = rules
        self._show()
        self._choose()

    def _ask_profiles(self) -> None:
        places, named = self._store.places, self._rules.profiles
        names = [*places, *sorted({*self._owners, *named}.difference(places))]
        options = [(name, profile_words(name)) for name in names]

        def take(names: frozenset[str]) -> None:
            self._set(self._rules._replace(profiles=names))

        ask_for(self, Several("Profile", "All profiles", options, named), take)

    def _ask_sources(self) -> None:
        # A rule may name one of which nothing is left.
        names = sorted({*filter(None, self._catalog.source_names), *self._rules.sources})
        options = [(name, clean_line(name, 60)) for name in names]

        def take(names: frozenset[str]) -> None:
            self._set(self._rules._replace(sources=names))

        ask_for(self, Several("Source", "Any source", options, self._rules.sources), take)

    def _ask_classes(self) -> None:
        possible = classes_of(self._store)
        options = [(one, CLASS_WORDS[one]) for one in OWN_CLASSES if one in possible]

        def take(classes: frozenset[Hidden]) -> None:
            self._set(self._rules._replace(classes=classes))

        ask_for(self, Several("Class", "Any class", options, self._rules.classes), take)

    def _ask(self, row: ChoiceRow) -> None:
        """A value of one's own."""
        rules = self._rules
        most = "" if rules.most is None else str(rules.most)
        check, value, changed = {
            "older": (self._check_span, typed_span(rules.older), self._older),
            "most": (_check_number, most, lambda text: rules._replace(most=_number(text))),
            "keep": (
                _check_number,
                str(rules.keep),
                lambda text: rules._replace(keep=_number(text) or 0),
            ),
            "query": (self._check_query, rules.query, lambda text: rules._replace(query=text)),
        }[row.name]
        prompt = Prompt(row.words, value, check)
        ask_for(self, prompt, lambda text: self._set(changed(text)))

    def _older(self, text: str) -> Rules:
        now = self._clock()
        found = span(text, now) if text.strip() else None
        return self._rules._replace(older=None if found is None else round(now - found.start))

    def _check_span(self, text: str) -> tuple[bool, str]:
        found = span(text, self._clock())
        typed = text.strip().lower()
        if not typed:
            return True, ANY_TIME
        # Not a day, of which the hours would be rounded: 2026-03-01, today.
        if found is None or not typed[0].isdecimal() or typed[-1] not in "hdwmy":
            return False, SPANS
        return True, f"Inactive for at least {span_words(self._clock() - found.start)}"

    def _check_query(self, text: str) -> tuple[bool, str]:
        if len(text) > LONGEST:
            return False, f"At most {LONGEST} characters"
        notes = parse(text, self._clock()).notes
        return True, query_words(notes)

    def action_undo(self) -> None:
        undo(self._lane, after=lambda: self._renew(self._done))

    def _renew(self, then: Callable[[Catalog], None]) -> None:
        """Read after an edit what the file holds; also where this screen is closed by then."""
        self._lane.lanes.start("after", self._store.catalog, then)

    def action_edit(self, name: str) -> None:
        """What the list's own keys ask for: only these act on all that match."""
        action = Action(name)
        if action not in (Action.ARCHIVE, Action.DELETE):
            return
        if self._chosen_by != self._rules:
            self.notify(STILL_APPLYING, markup=False)
            return
        kept = self._kept()
        going = [row for row in (self._chosen.rows if self._chosen else ()) if row not in kept]
        if not going:
            self.notify(ALL_KEPT if kept else NO_MATCH, markup=False)
            return
        if len(going) > MANY:
            self.notify(CHECKING, timeout=3, markup=False)
        lane, store, catalog = self._lane, self._store, self._catalog

        def after() -> None:
            # Not where the question was asked for: its answer is a key as well.
            here = place(lane.screen.app)
            self._renew(lambda newer: done(newer, here))

        def done(newer: Catalog, here: FocusPlace) -> None:
            self._done(newer)
            if action is Action.DELETE and here.screen is self:
                offer_room(lane.screen, lane.lanes, store, going, newer, lane.clock, here)

        parts = (part for row in going for part in catalog.chain(row))
        by_rules = Action.PRUNE if action is Action.DELETE else action
        about = EditSubject(by_rules, parts, {}, catalog)
        confirm(lane, about, after)

    def _done(self, catalog: Catalog) -> None:
        """The file has changed; what the user keeps is kept from the next prune as well."""
        if self.is_attached:
            self._catalog, self._selected = catalog, frozenset()
            if self._rules.only is not None:
                self._rules = self._first_rules()
            self.sessions.clear()
            self._begin()

    def action_pane(self) -> None:
        other = self.sessions if self.focused is self.rules else self.rules
        self.set_class(other is self.sessions, "-listing")
        self.set_focus(other)

    def action_leave(self) -> None:
        self.dismiss()


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None


def _check_number(text: str) -> tuple[bool, str]:
    good = not text.strip() or (text.strip().isdecimal() and len(text.strip()) < 9)
    return good, number_words(good)


def prune(lane: EditLane, selected: frozenset[int]) -> None:
    """Open the prune screen; `selected` are rows of the list."""
    store, catalog = lane.lister.store, lane.lister.catalog
    if store is None or catalog is None:
        lane.screen.notify(READING_FILE, markup=False)
    else:
        lane.screen.app.push_screen(PruneScreen(lane, store, catalog, selected))
