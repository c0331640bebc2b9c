"""Where the messages of a chat come from. Every list says it of its rows, so this is apart from the
chats themselves: to load those takes two milliseconds.
"""

from typing import NamedTuple

LOCAL = "local"
"""What the gateway calls the terminal of the machine it runs on."""


class Origin(NamedTuple):
    """Where messages come from, as the gateway noted it; empty where it did not."""

    platform: str = ""
    chat_type: str = ""
    chat_id: str = ""
    chat_name: str = ""
    user_id: str = ""
    user_name: str = ""
    thread_id: str = ""
    topic: str = ""

    @property
    def words(self) -> str:
        """As people say it: `DM with Ada`, `group: Ops, thread: deploys`."""
        if self.platform == LOCAL:
            return "CLI terminal"
        chat = self.chat_name or self.chat_id
        if self.chat_type == "dm":
            said = f"DM with {self.user_name or self.chat_name or self.user_id or 'user'}"
        elif self.chat_type in ("group", "channel") and chat:
            said = f"{self.chat_type}: {chat}"
        else:
            said = chat or self.user_name or self.chat_type
        return f"{said}, thread: {self.thread}" if said and self.thread else said

    @property
    def thread(self) -> str:
        """The name of a thread, else its id. A thread that is a chat of its own has its name as
        the name of the chat; a topic names a thread only on Telegram, elsewhere a channel."""
        if not self.thread_id or self.thread_id == self.chat_id:
            return ""
        return self.topic if self.topic and self.platform == "telegram" else self.thread_id

    @property
    def people(self) -> str:
        return self.user_name or self.user_id
