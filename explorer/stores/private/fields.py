"""Which columns, and which members of a JSON object, hold people and chats, by their names: so in
files of any schema, and in tables that are not known yet."""

from explorer.stores.private.marks import Who

IDS = {
    **dict.fromkeys(("user_id", "user_id_alt", "sender_id", "author_id"), Who.USER),
    **dict.fromkeys(("phone", "phone_number"), Who.USER),
    **dict.fromkeys(
        (
            *("chat_id", "chat_id_alt", "parent_chat_id", "scope_id", "guild_id", "channel_id"),
            *("room_id", "thread_id", "prospective_thread_id"),
        ),
        Who.CHAT,
    ),
}
NAMES = {
    **dict.fromkeys(("user_name", "sender_name", "author_name", "full_name"), Who.USER),
    **dict.fromkeys(
        (
            *("chat_name", "display_name", "chat_topic", "auto_thread_initial_name"),
            *("guild_name", "channel_name", "thread_name", "topic"),
        ),
        Who.CHAT,
    ),
}
KEYS = ("session_key", "origin_session", "origin_ui_session_id")
"""The gateway's names of chats, made of ids."""
OBJECTS = ("origin_json", "entry_json", "event_json", "task_json", "origin")
"""Columns that hold JSON objects with such members."""
PLATFORM, CHAT_TYPE = ("platform", "source"), "chat_type"
DIRECT = "dm"
"""The type of a chat with one person: its name is that of the person."""

RAW_IDS = frozenset(
    (
        *("discord", "slack", "matrix", "mattermost", "feishu", "dingtalk", "wecom"),
        *("wecom_callback", "weixin", "qqbot", "yuanbao", "teams", "google_chat", "irc", "line"),
    )
)
"""Platforms on which a message mentions people by their raw id. The gateway does not hide ids there
from its model, and neither does this view; names and phone numbers are hidden on every platform."""
