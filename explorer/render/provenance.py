"""Where a transcript comes from, in words: the state file, and files that its agent left beside
it."""

from explorer.model import Message, Provenance
from explorer.render.clean import clean_line
from explorer.render.figures import plural

LOG = "from the gateway's log"
COPY = "from a redacted copy"


def provenance_mark(message: Message) -> str:
    """What is said of a message that the state file does not hold; empty for one that it does."""
    if not message.file:
        return ""
    return COPY if message.redacted else LOG


def provenance_words(provenance: Provenance) -> list[str]:
    """Lines for the head of a transcript; none where all is from the state file."""
    facts = []
    if provenance.messages:
        what = COPY if provenance.redacted else LOG
        own = f"{provenance.database_messages:,} from the database"
        if not provenance.database_messages:
            facts.append(f"Only in {_names(provenance)}")
            own = "none from the database"
        facts.append(f"{plural(provenance.messages, 'message')} {what}, {own}")
    if provenance.bad_lines:
        facts.append(f"{plural(provenance.bad_lines, 'unreadable line')} in {_names(provenance)}")
    if provenance.cut:
        facts.append(f"{_names(provenance)} is read in part: it is too long")
    return facts


def _names(provenance: Provenance) -> str:
    return clean_line(", ".join(provenance.files), 200)
