"""The floor for start-up: what any Textual app costs before it does something of its own."""

from textual.app import App, ComposeResult
from textual.widgets import Label


class EmptyApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("READY")


if __name__ == "__main__":
    EmptyApp().run()
