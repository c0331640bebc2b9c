"""Heron Parcel's support bot, a program of Ada's that embeds power-loop: what customers asked it."""

from collections.abc import Iterator

from explorer.demo.script import DAY, HOUR, MINUTE, DemoSession, Model, tool

_MODEL = Model("gpt-5.1-mini", "openai")

PROMPT = (
    "You answer customers of Heron Parcel. Look a parcel up before you say where it is. Never"
    " promise a time that the depot has not confirmed."
)


SUMMARISED = {
    "Refund for a crushed teapot": (
        4,
        "A teapot of order HP-4398 arrived broken. It was insured: 34.50 € go back to the card.",
    )
}
"""Sessions whose first messages were compressed: how many, and the summary."""
INTERRUPTED = {"Change of address on the way": 2}
"""Sessions that stopped before the results of their tools came: what is left of their messages."""


_ASK = "Ask the north depot who signed for HP-4471"
_READ = "Read the log of locker 7"
LIFECYCLES = {_ASK: "linked", _READ: "ephemeral"}
"""What becomes of the subagents."""


def _lost_parcel() -> Iterator[DemoSession]:
    chat = DemoSession("Where is HP-4471?", 26 * MINUTE, model=_MODEL)
    chat.user("Where is my parcel HP-4471? The page says delivered, my doormat says otherwise.")
    chat.does(
        tool(
            "track_parcel",
            {"number": "HP-4471"},
            {"state": "delivered", "at": "kiosk 12", "signed": "neighbour", "depot": "north"},
        ),
        say="Let me look it up.",
    )
    search = chat.delegated(_ASK)
    search.user("Who signed for HP-4471 at kiosk 12, and is it still there?")
    log = search.delegated(_READ)
    log.user("When was locker 7 of kiosk 12 last opened?")
    log.does(tool("read_log", {"kiosk": 12, "locker": 7}, "closed 14:02 by driver 31, not since"))
    yield log.assistant("At 14:02, by the driver. Not since.")
    search.does(tool("spawn_agent", {"task": _READ}, "At 14:02, by the driver. Not since."))
    search.does(
        tool("ask_depot", {"depot": "north", "number": "HP-4471"}, "In locker 7, untouched.")
    )
    yield search.assistant("It is in locker 7 of kiosk 12. Nobody has fetched it.")
    chat.does(
        tool(
            "spawn_agent",
            {"task": _ASK},
            "It is in locker 7 of kiosk 12. Nobody has fetched it.",
        ),
        takes=40.0,
    )
    chat.assistant(
        "It is safe: **kiosk 12, locker 7**. The driver noted a neighbour by mistake. Your code"
        " opens the locker until Friday."
    )
    chat.user("found it, thank you. please tell the driver that kiosks do not sign")
    yield chat.assistant("Passed on, word for word.")


def _refund() -> DemoSession:
    chat = DemoSession("Refund for a crushed teapot", 5 * HOUR, model=_MODEL)
    chat.user("My teapot arrived in eleven pieces. I had ordered one.")
    chat.does(
        tool("read_order", {"number": "HP-4398"}, {"value": 34.5, "insured": True, "weight_g": 900})
    )
    chat.assistant(
        "I am sorry about the other ten. The order was insured: 34.50 € go back to your card"
        " within three days. Keep the photo, you need not send the pieces."
    )
    chat.user("can I keep the lid? it survived")
    return chat.assistant("The lid is yours.")


def _older() -> Iterator[DemoSession]:
    asked = (
        (
            "Change of address on the way",
            1 * DAY + 2 * HOUR,
            "I move on Saturday and my parcel comes on Monday. Can it move too?",
            ("change_address", {"number": "HP-4310"}, {"accepted": True, "from": "Monday"}),
            "It can: from Monday on it goes to the new address. Nothing to pay.",
        ),
        (
            "Why does the label say Heron Parzel",
            4 * DAY,
            "The label says “Heron Parzel”. Is this a fraud?",
            ("read_label", {"number": "HP-4265"}, {"printer": "label-press 2", "locale": "de"}),
            "It is ours: a printer with German settings and its own ideas. The parcel is real.",
        ),
        (
            "Customs form for a sourdough",
            13 * DAY,
            "How do I declare a sourdough starter? It is alive.",
            (
                "search_rules",
                {"topic": "food", "to": "NO"},
                "Bread: allowed. Live cultures: form 4.",
            ),
            "Form 4, “live cultures”. Leave the jar a little open, or it will leave by itself.",
        ),
    )
    for name, ago, ask, (used, arguments, result), answer in asked:
        yield (
            DemoSession(name, ago, model=_MODEL)
            .user(ask)
            .does(tool(used, arguments, result))
            .assistant(answer)
        )


def chats() -> Iterator[DemoSession]:
    yield from _lost_parcel()
    yield _refund()
    yield from _older()
