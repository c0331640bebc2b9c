"""What `info` says of the clean-up that an agent does by itself: its settings, and what is next."""

from collections import Counter
from pathlib import Path

from explorer.render.amounts import plural
from explorer.render.when import exact, iso_utc
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.fate_words import AGENT, NOT_SET
from explorer.stores.fates import Deed, Fates
from explorer.stores.sqlite.failures import short_path

_DONE = {Deed.DELETE: "deleted", Deed.ARCHIVE: "archived", Deed.END: "marked as ended"}

_NOBODY = Catalog((), (), (), {}, (), (), frozenset())


class CleanUp:
    """What is known of one file."""

    def __init__(self, store: Store, now: float) -> None:
        # The settings first: where they leave nothing to do, no session need be looked at.
        self._fates = store.fates(_NOBODY, ())
        self._now = now
        self._due: Counter[Deed] = Counter()
        if self._fates.acts:
            catalog = store.catalog()
            self._fates = store.fates(catalog, before=now)
            self._due = _due(self._fates, catalog, now)

    def shape(self) -> dict[str, object] | None:
        """As JSON; null where the agent does nothing of the kind."""
        fates = self._fates
        if not fates.path and not fates.unknown:
            return None
        return {
            "settings": {
                name: {"value": one.value, "given": one.given.value}
                for name, one in fates.settings.items()
            },
            "path": fates.path or None,
            "unknown": fates.unknown or None,
            "certain": fates.certain,
            "next_at": iso_utc(fates.next_run),
            "retention_days": None if fates.next_run is None else fates.retention,
            "next_start": {
                "deleted": self._due[Deed.DELETE],
                "archived": self._due[Deed.ARCHIVE],
                "ended": self._due[Deed.END],
            },
        }

    def words(self) -> str:
        """In a line; empty where there is nothing to say."""
        fates = self._fates
        if not fates.path and not fates.unknown:
            return ""
        if fates.unknown:
            return f"not known: {fates.unknown}"
        where = f" ({short_path(Path(fates.path))})"
        if not fates.acts:
            return f"{AGENT} deletes and archives nothing by itself{where}"
        said = [self._rule() + where]
        due = [self._done(deed) for deed in Deed if self._due[deed]]
        said.append(f"at its next start: {', '.join(due) or 'nothing'}")
        if fates.next_run is not None and fates.next_run > self._now:
            said.append(f"deletes again after {exact(fates.next_run)}")
        return " · ".join(said)

    def _done(self, deed: Deed) -> str:
        sure = self._fates.certain or deed is Deed.ARCHIVE
        may = "" if sure else "may be "
        return f"{plural(self._due[deed], 'session')} {may}{_DONE[deed]}"

    def _rule(self) -> str:
        fates = self._fates
        idle = f"archives sessions after {fates.idle:g} days without activity"
        asked = fates.settings["auto_archive"].value is True and fates.pins
        if fates.next_run is None:
            return f"{AGENT} {idle}"
        days = f"{fates.retention:g} days"
        since = f"{days} after their start" if fates.by_start else f"after {days} without activity"
        will = "deletes" if fates.certain else "may delete"
        rule = f"{AGENT} {will} ended sessions {since}"
        rule += f", {idle}" if asked else ""
        return rule if fates.certain else f"{rule}; {NOT_SET}"


def _due(fates: Fates, catalog: Catalog, now: float) -> Counter[Deed]:
    """How many conversations each deed is done to at the next start."""
    known = {**fates.deletes, **fates.archives, **fates.ends}
    conversations = {catalog.chain(key) for key in known}
    fated = (fates.of(parts, now) for parts in conversations)
    return Counter(fate.deed for fate in fated if fate is not None and fate.is_due(now))
