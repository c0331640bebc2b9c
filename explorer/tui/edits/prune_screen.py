"""Prune by rules: rules on the left, the conversations that they match on the right."""

from collections.abc import Callable, Mapping

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize

from explorer.browse.arrangement import Arranged
from explorer.browse.choices import ChoiceRow
from explorer.browse.headings import headings
from explorer.browse.prune_choices import Going, rule_rows, span_words, typed_span
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
    choose,
    ground,
    holding,
)
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import BYTES
from explorer.tui.agent_commands import offer_room
from explorer.tui.dialogs.base import Closing
from explorer.tui.dialogs.questions import Prompt, Several, ask_for, place
from explorer.tui.edits.confirm import EditLane, EditSubject, confirm
from explorer.tui.edits.undo import undo
from explorer.tui.edits.words import (
    ANY_TIME,
    CHECKING,
    CLASS_WORDS,
    LOADING,
    NO_MATCH,
    SPANS,
    STILL_APPLYING,
    kept_hint,
    number_words,
    query_words,
    removed_words,
)
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.session_list import SessionList
from explorer.tui.reading.reading_pane import ReadScreen
from explorer.tui.themes import NARROW
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.widgets.choice_list import ChoiceList
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


class PruneScreen(Closing[None]):
    """Rules, and the conversations that they match."""

    sessions = getters.query_one(SessionList)
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
        self._rules = Rules(only=selected) if selected else PRESETS["Empty sessions"]
        self._ground: Ground | None = None
        self._chosen: Chosen | None = None
        self._chosen_by: Rules | None = None
        """The rules that it came of: others may be typed while all messages are searched."""
        self._going: frozenset[int] = frozenset()
        self._weights: Mapping[int, int] | None = None
        self._bytes = 0
        """Of all that is chosen, once there are weights."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="panes"):
            yield RuleList("prune-rules")
            yield SessionList(self._clock(), id="prune-list")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).scope = "prune"
        self.rules.border_title = Content("Prune")
        self.sessions.note = LOADING
        self.set_focus(self.rules)
        self._begin()

    def on_unmount(self) -> None:
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.sessions.fit_to(event.size.height)

    def _begin(self) -> None:
        """Read what the rules ask about; how much text there is takes longest, so it comes last."""
        store, catalog, pins = self._store, self._catalog, self._pins
        self._ground = self._weights = self._chosen_by = None
        self._show()

        def take(known: Ground) -> None:
            self._ground = known
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

        self._lanes.start("ground", lambda token: ground(store, catalog, pins, token), take)

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
            self._chosen, arranged, self._going, self._bytes = found
            self._chosen_by = rules
            self.sessions.note = NO_MATCH
            self.sessions.show(arranged)
            self._show()

        def refused(why: ExplorerError) -> None:
            self.notify(clean(why.message), title=why.title, markup=False)

        self._lanes.start("choose", work, take, refused)

    @on(SessionList.SelectionChanged)
    def _show(self) -> None:
        """Only what is kept by hand is gone through here: the rest was counted in a thread."""
        chosen, known, kept = self._chosen, self._ground, self._spared()
        going = None
        if chosen is not None:
            going = Going(len(chosen.rows), chosen.messages, self._bytes)
            if kept and known is not None:
                going = Going(
                    len(chosen.rows) - len(kept),
                    chosen.messages - sum(known.messages(row) for row in kept),
                    self._bytes - sum((self._weights or {}).get(row, 0) for row in kept),
                )
                skipped = {**chosen.skipped, KEPT: tuple(sorted(kept))}
                chosen = chosen._replace(skipped=skipped)
            if self._weights is None:
                going = going._replace(bytes=None)
        key = keymap_of(self.app).key("prune-change")
        self.rules.show(rule_rows(self._rules, chosen, going, self._selected, key))
        words = removed_words(going.conversations if going else 0)
        self.sessions.border_title = Content(words)
        self.sessions.border_subtitle = Content(kept_hint(len(kept), keymap_of(self.app)))

    def _spared(self) -> frozenset[int]:
        return frozenset(key for key in self.sessions.selection.keys if key in self._going)

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
        elif row.name == "sources":
            self._ask_sources()
        elif row.name == "classes":
            self._ask_classes()
        else:
            self._ask(row)

    def _set(self, rules: Rules) -> None:
        self._rules = rules
        self._show()
        self._choose()

    def _ask_sources(self) -> None:
        names = sorted(filter(None, self._catalog.source_names))
        options = [(name, clean_line(name, 60)) for name in names]

        def take(names: frozenset[str]) -> None:
            self._set(self._rules._replace(sources=names, only=None))

        ask_for(self, Several("Source", "Any source", options, self._rules.sources), take)

    def _ask_classes(self) -> None:
        options = [(one, CLASS_WORDS[one]) for one in OWN_CLASSES]

        def take(classes: frozenset[Hidden]) -> None:
            self._set(self._rules._replace(classes=classes, only=None))

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
        return self._rules._replace(older=None if found is None else now - found.start)

    def _check_span(self, text: str) -> tuple[bool, str]:
        found = span(text, self._clock())
        if not text.strip():
            return True, ANY_TIME
        if found is None or text.strip()[-1].lower() not in "hdwmy":
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
        kept = self._spared()
        going = [row for row in (self._chosen.rows if self._chosen else ()) if row not in kept]
        if not going:
            self.notify(NO_MATCH, markup=False)
            return
        if len(going) > MANY:
            self.notify(CHECKING, timeout=3, markup=False)
        lane, store, catalog, here = self._lane, self._store, self._catalog, place(self.app)

        def done(newer: Catalog) -> None:
            self._done(newer)
            if action is Action.DELETE:
                offer_room(lane.screen, lane.lanes, store, newer, lane.clock, here)

        parts = (part for row in going for part in catalog.chain(row))
        by_rules = Action.PRUNE if action is Action.DELETE else action
        about = EditSubject(by_rules, parts, {}, catalog)
        confirm(lane, about, lambda: self._renew(done))

    def _done(self, catalog: Catalog) -> None:
        """The file has changed; what the user keeps is kept from the next prune as well."""
        if self.is_attached:
            self._catalog, self._selected = catalog, frozenset()
            if self._rules.only is not None:
                self._rules = PRESETS["Empty sessions"]
            kept = frozenset(filter(catalog.has, self.sessions.selection.keys))
            self.sessions.clear()
            self.sessions.selection.add(sorted(catalog.tips(kept)))
            self._begin()

    def action_pane(self) -> None:
        other = self.sessions if self.focused is self.rules else self.rules
        self.set_class(other is self.sessions, "-listing")
        self.set_focus(other)

    def action_leave(self) -> None:
        self.dismiss()

    def action_unwind(self) -> None:
        """Escape in the list: first nothing is kept by hand, then back to the rules."""
        if self.sessions.selection:
            self.sessions.selection.clear()
            self.sessions.refresh()
            self._show()
        else:
            self.action_pane()


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None


def _check_number(text: str) -> tuple[bool, str]:
    good = not text.strip() or (text.strip().isdecimal() and len(text.strip()) < 9)
    return good, number_words(good)


def prune(lane: EditLane, selected: frozenset[int]) -> None:
    """Open the prune screen; `selected` are rows of the list."""
    store, catalog = lane.lister.store, lane.lister.catalog
    if store is not None and catalog is not None:
        lane.screen.app.push_screen(PruneScreen(lane, store, catalog, selected))
