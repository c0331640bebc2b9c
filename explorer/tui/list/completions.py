"""What could be typed next into the search bar: names of fields, and the values this file has.

Shown in the bar of keys, which is there anyway: a list that opened below what is typed would move
everything at every other letter.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.stores.columns import MODEL, WORKSPACE
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import SearchBar
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.search.language.chips import Offer

SHOWN = 8


@dataclass
class Offering:
    """Joins the search bar, the bar of keys, and what the file is known to hold."""

    _bar: SearchBar
    _keys: KeyBar
    _lister: Lister
    _lanes: Lanes
    _known: dict[str, Sequence[str]] = field(default_factory=dict)

    def typed(self) -> None:
        """Another text: show what it could become."""
        text = self._bar.input.value
        for name in ("model", "workspace"):
            if f"{name}:" in text and name not in self._known:
                self._known[name] = ()
                self._read(name)
        offers = self.offers()
        said = [clean_line(offer.text, 40) for offer in offers[:SHOWN]]
        if len(offers) == 1 and offers[0].words:
            said.append(offers[0].words)
        self._keys.offers = tuple(said)

    def offers(self) -> "list[Offer]":
        # Late: 10 ms that only a search needs.
        from explorer.search.language.chips import complete

        catalog = self._lister.catalog
        sources = sorted(filter(None, catalog.source_names)) if catalog else ()
        known = {**self._known, "source": sources}
        return complete(self._bar.input.value, self._bar.input.cursor_position, known)

    def take(self) -> bool:
        """Put the first offer in; False where there is none."""
        offers = self.offers()
        if not offers:
            return False
        field = self._bar.input
        start, end, text, _ = offers[0]
        field.value = field.value[:start] + text + field.value[end:]
        field.cursor_position = start + len(text)
        self.typed()
        return True

    def _read(self, name: str) -> None:
        """The values of a field that only the sessions know, the commonest first."""
        store = self._lister.store
        if store is None:
            return

        def work(token: CancelToken) -> Sequence[str]:
            column = MODEL if name == "model" else WORKSPACE
            values = store.columns({column}, token=token)[column]
            return [value for value, _ in Counter(values.values()).most_common() if value]

        def know(values: Sequence[str]) -> None:
            self._known[name] = values
            self.typed()

        self._lanes.start(f"values of {name}", work, know)
