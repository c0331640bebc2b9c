"""How long a conversation Hermes resumes.

Since schema 25 it refuses more than `max_resume_messages` of them (20,000 where nobody set it, 0
for no limit). Up to 26 live messages of all parts count; from 30 on those that were summarised
away count too, since it loads them to show them.
"""

from explorer.cancel import CancelToken
from explorer.stores.base import TooLong
from explorer.stores.catalog import Unit
from explorer.stores.fates import SettingState
from explorer.stores.hermes.home import config_of
from explorer.stores.hermes.upkeep.settings import read_settings
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import batches, placeholders

SETTING = "max_resume_messages"
USUAL = 20_000


def too_long(file: ReadOnlyFile, unit: Unit, token: CancelToken | None) -> TooLong | None:
    """Whether Hermes refuses a conversation; nothing is said where its settings are not clear."""
    place = config_of(file.path)
    if isinstance(place, str):
        return None
    settings = read_settings(place)
    limit = settings.amount(SETTING, USUAL)
    if settings.trouble or not limit:
        return None
    asked = settings.values[SETTING].given is SettingState.SET

    def work(reader: Reader) -> TooLong | None:
        if not reader.schema.has("system_prompts") or not reader.schema.has("messages", "active"):
            return None
        number = _counted(reader, unit)
        # The first releases of schema 25 did not know the limit.
        sure = asked or reader.schema.has("sessions", "hidden")
        over = number > limit
        return (
            TooLong(number, int(limit), f"sessions.{SETTING}", str(place), sure) if over else None
        )

    return file.read(work, token)


def _counted(reader: Reader, unit: Unit) -> int:
    counted = 'm."active" = 1'
    if reader.schema.has("messages", "display_order", "compacted"):
        counted = f'({counted} OR m."compacted" = 1)'
    return sum(
        cells.amount(
            reader.value(
                f"SELECT count(*) FROM messages m WHERE {counted} AND m.session_id IN"
                f" (SELECT s.id FROM sessions s WHERE s.rowid IN ({placeholders(batch)}))",
                batch,
            )
        )
        for batch in batches(unit.whole or unit.parts)
    )
