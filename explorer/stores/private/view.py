"""Turning the privacy view on and off. There is one for the whole program: what one file knows of
people and chats is hidden in the texts of all others, in the trash and in every message."""

from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.render import veil
from explorer.stores.base import Store
from explorer.stores.ours.privacy_key import privacy_key
from explorer.stores.private.chat_words import hidden_name
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.marks import Marks
from explorer.stores.private.store import PrivateStore
from explorer.stores.private.trash_values import TrashValues


class _View(NamedTuple):
    hiding: Hiding
    trash: TrashValues


_view: _View | None = None


def turn_on(folder: Path) -> None:
    """Hide people and chats from now on, in stores that are opened from now on. The key of the
    marks is in this folder of ours, and the trash."""
    global _view
    if _view is None:
        hiding = Hiding(Marks(privacy_key(folder)))
        _view = _View(hiding, TrashValues(folder / "trash.db", hiding))
        veil.draw(hiding.hide, lambda name: hidden_name(hiding, name))


def turn_off() -> None:
    global _view
    _view = None
    veil.lift()


def privately(store: Store, token: CancelToken | None = None) -> Store:
    """The store as it may be shown."""
    view = _view
    if view is None:
        return store
    view.trash.renew(token)
    return PrivateStore(store, view.hiding, token)
