"""From what somebody typed to one session, or to a list of those it could mean."""

from explorer.errors import NoSuchSession
from explorer.store.base import Candidate, Store

NAMED = 8


def resolve(store: Store, text: str) -> Candidate:
    """The one session that `text` means."""
    # Every id begins with nothing, but nobody means any session by it.
    found = store.find(text) if text.strip() else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchSession(
            "No such session",
            f"No session has the id or the title {text!r}, and no id begins so.",
        )
    names = [f"  {c.id}  {c.title or ''}".rstrip() for c in found[:NAMED]]
    more = ["  …"] if len(found) > NAMED else []
    raise NoSuchSession(
        "More than one session",
        f"{text!r} could be any of these; give more of the id:\n" + "\n".join(names + more),
    )
