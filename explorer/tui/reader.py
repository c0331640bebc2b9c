"""What the transcript shows: reads a session when the cursor comes to it, and more of it when
the transcript asks."""

from collections.abc import Set as AbstractSet

from textual.content import Content

from explorer.model import Session
from explorer.render.amounts import count
from explorer.render.blocks import View
from explorer.render.clean import clean_line
from explorer.store.base import Store
from explorer.store.catalog import Catalog, Unit
from explorer.store.read_only import CancelToken
from explorer.tui.document import Laid
from explorer.tui.lanes import Lanes
from explorer.tui.reading import Outlined, lay_out, outline
from explorer.tui.widgets.transcript import Transcript

AT_FIRST = 40
"""Messages laid out together with the outline, so that text appears at once."""


class Reader:
    """Joins the store and the transcript."""

    def __init__(self, transcript: Transcript, lanes: Lanes) -> None:
        self._transcript = transcript
        self._lanes = lanes
        self._store: Store | None = None
        self._outlined: Outlined | None = None
        self.session: Session | None = None
        """What is being read, or about to be."""
        self._alone = False
        """Only this part of its conversation."""
        self._parts: tuple[int, ...] = ()
        """The conversation, where it has been looked at again since."""

    def open(self, store: Store) -> None:
        """Another file: what was read of the one before is not of this one."""
        self._store = store
        self.session = self._outlined = None

    def reads(self, session: Session, alone: bool) -> bool:
        """Whether this is being read already, also if it has been continued since."""
        if self.session is None or self._alone != alone:
            return False
        return session.key == self.session.key or session.key in self._parts

    def read(self, session: Session, catalog: Catalog | None, alone: bool = False) -> None:
        """Show a session: the whole conversation, of which the catalog knows the parts, or it
        alone."""
        self._lanes.cancel("items")
        self.session, self._alone = session, alone
        self._outlined, self._parts = None, ()
        unit = Unit(session.key, (session.key,), session.kind)
        if session.parts > 1:
            if catalog is None or not catalog.has(session.key):
                return
            unit = catalog.folded(session.key)
        if self._store is None:
            return
        store, view = self._store, self._transcript.view()
        view = view._replace(model=session.model, folds={})

        def work(token: CancelToken) -> tuple[Outlined, dict[int, Laid], View]:
            outlined = outline(store, session, unit, token)
            items = range(min(AT_FIRST, len(outlined.outlines)))
            return outlined, lay_out(store, outlined, items, view, token), view

        self._lanes.start("reader", work, self._show)

    def renew(self, catalog: Catalog, touched: AbstractSet[int] | None) -> None:
        """The file has changed: add what is new to the session that is being read."""
        if self.session is None or self._outlined is None or self._store is None:
            return
        if not catalog.has(self.session.key):
            return
        unit = (catalog.single if self._alone else catalog.folded)(self.session.key)
        self._parts = unit.parts
        if touched is not None and touched.isdisjoint(unit.parts):
            return
        store, session = self._store, self.session
        self._lanes.start(
            "reader", lambda token: outline(store, session, unit, token), self._extend
        )

    def _extend(self, outlined: Outlined) -> None:
        self._outlined = outlined
        self._transcript.extend(outlined)

    def catalogued(self, catalog: Catalog | None) -> None:
        """The parts of conversations are known: read on what had to wait for them."""
        if self.session and self._outlined is None:
            self.read(self.session, catalog, self._alone)

    def read_items(self, event: Transcript.ItemsWanted) -> None:
        if self._store is None or self._outlined is None:
            return
        store, outlined, items, view = self._store, self._outlined, event.items, event.view
        self._lanes.start(
            "items",
            lambda token: lay_out(store, outlined, items, view, token),
            lambda laid: self._add(outlined, laid, view),
        )

    def _add(self, outlined: Outlined, laid: dict[int, Laid], view: View) -> None:
        if outlined is self._outlined:
            self._transcript.add(laid, view)

    def say_where(self, event: Transcript.Moved) -> None:
        where = f"message {count(event.number)} of {count(event.of)}" if event.of else ""
        self._transcript.border_subtitle = Content(where)

    def forget(self) -> None:
        """Nothing is chosen: an empty pane."""
        self._lanes.cancel("reader")
        self.session = self._outlined = None
        self._transcript.note = ""
        self._transcript.border_title = self._transcript.border_subtitle = None
        self._transcript.clear()

    def _show(self, read: tuple[Outlined, dict[int, Laid], View]) -> None:
        self._outlined, laid, view = read
        session = self._outlined.session
        name = clean_line(session.title or session.preview or session.id, 200)
        self._transcript.note = "This session has no messages."
        self._transcript.border_title = Content(name)
        self._transcript.show(self._outlined, laid, view)
