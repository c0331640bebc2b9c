"""What goes to the clipboard, and a word on what happened."""

import json

from textual.screen import Screen

from explorer.model import Message
from explorer.render.clean import for_clipboard
from explorer.render.figures import count, plural

MOST = 100_000
"""Characters: terminals drop or choke on more."""


def copy(screen: Screen[None], text: str, what: str) -> None:
    """Put text on the clipboard through the terminal, made safe to paste."""
    safe = for_clipboard(text)
    if not safe.strip():
        screen.notify(f"There is no {what} here.", markup=False)
        return
    screen.app.copy_to_clipboard(safe[:MOST])
    said = f"Copied {what}: {plural(min(len(safe), MOST), 'character')}"
    if len(safe) > MOST:
        said += f" of {count(len(safe))}; E opens the session in an editor"
    screen.notify(f"{said}. If it does not paste, the terminal does not allow it.", markup=False)


def as_json(message: Message) -> str:
    """A message with all that is known of it."""
    calls = [call._asdict() for call in message.tool_calls]
    fields = message._asdict() | {"tool_calls": calls}
    return json.dumps(fields, ensure_ascii=False, indent=2, default=str)
