"""What could be typed next into the search bar: names of fields, and the values this file has; and
what was probably meant, where one of them is misspelt.

Shown in the bar of keys, which is there anyway: a list that opened below what is typed would move
everything at every other letter.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.stores.columns import CHAT, MODEL, OWNER, WORKSPACE, Column
from explorer.stores.resolve import names_of_files
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import ChipBar, SearchBar
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.search.language.chips import Offer
    from explorer.search.language.corrections import Correction

SHOWN = 8
_READ: dict[str, Column[str]] = {
    "model": MODEL,
    "workspace": WORKSPACE,
    "profile": OWNER,
    "chat": CHAT,
}
"""Fields whose values only the sessions know."""


@dataclass
class Offering:
    """Joins the search bar, the bar of keys, and what the file is known to hold."""

    _bar: SearchBar
    _keys: KeyBar
    _chips: ChipBar
    _lister: Lister
    _lanes: Lanes
    _known: dict[str, Sequence[str]] = field(default_factory=dict)

    def typed(self) -> None:
        """Another text: show what it could become."""
        text = self._bar.input.value
        for name in _READ:
            if f"{name}:" in text and name not in self._known:
                self._known[name] = ()
                self._read(name)
        offers, hints = self._found()
        said = [clean_line(offer.text, 40) for offer in offers[:SHOWN]]
        if len(offers) == 1 and offers[0].words:
            said.append(offers[0].words)
        self._keys.offers = tuple(said)
        self._chips.hints = tuple(self._hints(hints))

    def _found(self) -> "tuple[list[Offer], list[Correction]]":
        """(what the key puts in, the first one first; what of it corrects something): what the
        word at the cursor could become, else what a misspelt one anywhere should be."""
        text = self._bar.input.value
        if not text:
            return [], []
        # Late: 10 ms that only a search needs.
        from explorer.search.language.chips import Offer, complete
        from explorer.search.language.corrections import corrections

        known = self._values()
        offers = complete(text, self._bar.input.cursor_position, known)
        if offers:
            return offers, []
        wrong = list(corrections(text, known))
        return [Offer(one.start, one.end, one.text, "") for one in wrong], wrong

    def _hints(self, wrong: "list[Correction]") -> Iterator[str]:
        """What should stand in place of what was typed, with the key that puts the first one in."""
        text = self._bar.input.value
        for at, (start, end, meant, name) in enumerate(wrong):
            from explorer.search.words import corrected_with, no_such_value

            said = no_such_value(name, clean_line(text[start:end], 30)) if name else ""
            key = keymap_of(self._bar.app).key("search-complete") if at == 0 else ""
            yield " · ".join(filter(None, (said, corrected_with(key, clean_line(meant, 40)))))

    def _values(self) -> dict[str, Sequence[str]]:
        """The values that the file has, by name of the field."""
        catalog = self._lister.catalog
        sources = sorted(filter(None, catalog.source_names)) if catalog else ()
        store = self._lister.store
        files = names_of_files(store) if store is not None else ()
        owners = self._known.get("profile", ())
        profiles = list(dict.fromkeys((*files, *owners)))
        known = {**self._known, "source": sources, "platform": sources, "profile": profiles}
        if (chat := self._lister.chat) is not None and "chat" in known:
            known["chat"] = [*known["chat"], chat.label]
        return known

    def take(self) -> bool:
        """Put the first offer in; False where there is none."""
        offers, wrong = self._found()
        if not offers:
            return False
        field = self._bar.input
        start, end, text, _ = offers[0]
        before, after = field.value[:start] + text, field.value[end:]
        field.value = before + after
        # Behind the whole word that was corrected: its value may be the next to correct.
        field.cursor_position = len(before + after.split(" ")[0] if wrong else before)
        self.typed()
        return True

    def _read(self, name: str) -> None:
        """The values of a field that only the sessions know, the commonest first."""
        store = self._lister.store
        if store is None:
            return

        def work(token: CancelToken) -> Sequence[str]:
            column = _READ[name]
            values = store.columns({column}, token=token)[column]
            # Of a chat the first line is what it is called.
            names = Counter(value.partition("\n")[0] for value in values.values())
            return [value for value, _ in names.most_common() if value]

        def know(values: Sequence[str]) -> None:
            self._known[name] = values
            self.typed()

        self._lanes.start(f"values of {name}", work, know)
