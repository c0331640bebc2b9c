"""The JSON shapes of `undo` and `trash`: what would change, and what is kept."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from explorer.commands.shapes import Shape
from explorer.render.figures import iso_utc
from explorer.stores.base import Edits, Store
from explorer.stores.columns import ID, TITLE
from explorer.stores.edits.interface import Past
from explorer.stores.edits.plans import Done, UndoPlan
from explorer.stores.hermes.store import profile_of
from explorer.stores.ours.trash import RETENTION
from explorer.stores.ours.trash_records import CellChange, Entry, Receipt
from explorer.stores.sqlite.images import Cell, shown


def undo_shape(plan: UndoPlan, edits: Edits, store: Store) -> Shape:
    entries = edits.worded_entries(plan.entries)
    restored = [entry_shape(one, edits) | {"outcome": "restore"} for one in entries]
    return {
        "action": "undo",
        "receipt": plan.receipt.shown,
        "sessions": [*restored, *_changed_shapes(plan, edits, store)],
        "totals": _totals([plan.receipt], entries, edits) | {"sessions": plan.sessions},
        "skipped": {},
        "notes": list(plan.notes),
    }


def _changed_shapes(plan: UndoPlan, edits: Edits, store: Store) -> Iterator[Shape]:
    """The sessions that stay in their file and get old values again."""
    for path, share in [(one.path, one.plan) for one in plan.by_store] or [(edits.path, plan)]:
        cells: dict[str, Shape] = {}
        for change in share.changes:
            if not change.entry:
                cells.setdefault(shown(change.id), {}).update(_values(change))
        titles = _titles(path, tuple(cells), edits, store)
        for id_, changes in cells.items():
            yield {
                "id": id_,
                "title": titles.get(id_),
                "messages": 0,
                "outcome": "change",
                "changes": changes,
                "store": str(path),
                "profile": profile_of(path),
            }


def _titles(path: Path, ids: tuple[str, ...], edits: Edits, store: Store) -> Mapping[str, str]:
    """The titles of sessions of one file, by id."""
    named = edits.noted(Done(None, "undo", ids, {}, done_in=tuple((str(path), id_) for id_ in ids)))
    known = store.columns({ID, TITLE}, list(store.keys_of(named).values()))
    return {known[ID][key]: title for key, title in known[TITLE].items()}


def _values(change: CellChange) -> Shape:
    cells = zip(change.columns, change.new, change.old, strict=True)
    return {column: {"from": _value(new), "to": _value(old)} for column, new, old in cells}


def _value(cell: Cell) -> object:
    return shown(cell) if isinstance(cell, bytes) else cell


def _totals(receipts: Sequence[Receipt], entries: Sequence[Entry], edits: Past) -> Shape:
    files = {
        entry: number
        for one in receipts
        for entry, number in edits.trash.file_counts(one.number).items()
    }
    return {
        "sessions": len(entries),
        "messages": sum(one.messages for one in entries),
        "bytes": sum(one.bytes for one in entries),
        "files": sum(files.get(one.number, 0) for one in entries),
    }


def purge_shape(
    receipts: Sequence[Receipt], entries: Sequence[Entry], notes: Sequence[str], edits: Past
) -> Shape:
    """Of sessions that were restored, only the copies are deleted: they are not in the totals."""
    return {
        "action": "purge",
        "receipts": [one.shown for one in receipts],
        "sessions": [entry_shape(one, edits) for one in edits.worded_entries(entries)],
        "totals": _totals(receipts, [one for one in entries if not one.is_back], edits),
        "skipped": {},
        "notes": list(notes),
    }


def receipt_shape(receipt: Receipt, edits: Past) -> Shape:
    home = profile_of(edits.path)
    parts = receipt.parts or (receipt,)
    return {
        "receipt": receipt.shown,
        "action": receipt.action,
        "made_at": iso_utc(receipt.made),
        "state": receipt.state.value,
        "words": receipt.words,
        "sessions": receipt.sessions,
        "back": receipt.back,
        "messages": receipt.messages,
        "bytes": receipt.bytes,
        "kept_until": iso_utc(receipt.made + RETENTION),
        "profiles": list(filter(None, (one.place or home for one in parts))),
        "gone": list(filter(None, (one.place or home for one in parts if one.gone))),
    }


def entry_shape(entry: Entry, edits: Past) -> Shape:
    path, _ = edits.kept_from(entry)
    return {
        "store": str(path),
        "id": entry.session,
        "title": entry.title,
        "name": entry.name,
        "source": entry.source,
        "messages": entry.messages,
        "bytes": entry.bytes,
        "kind": entry.kind,
        "state": entry.state.value,
        "last_active": iso_utc(entry.active),
        "profile": entry.place or profile_of(edits.path),
    }
