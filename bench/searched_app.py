"""The app as users have it, but for a sign in the corner when the results of a search are painted.

What a search paints differs from what was there before by a few letters at most, so that nothing
could tell from outside when it is complete. The sign is written behind the frame that shows it:
`⟨text⟩` when the number of hits is shown, `⟦text⟧` when all visible rows show their match.
"""

import explorer.tui.app
from explorer.browse.arrangement import Arranged
from explorer.cli import run
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.session_list import SessionList
from explorer.tui.screens.main import MainScreen


class SearchedApp(explorer.tui.app.ExplorerApp):
    """Signs what was searched for."""

    def on_mount(self) -> None:
        self._watch(Lister, "_list")
        self._watch(Lister, "_grow")
        self._watch(SessionList, "add_rows")

    def _watch(self, owner: type, name: str) -> None:
        plain = getattr(owner, name)

        def watched(*arguments: object, **named: object) -> None:
            plain(*arguments, **named)
            if isinstance(arguments[1], Arranged) and arguments[1].found:
                result = arguments[1].found.result
                if result.table or result.total or result.done or result.trouble:
                    self._sign(f"⟨{result.query.text}⟩")
            self._sign_rows()

        setattr(owner, name, watched)

    def _sign_rows(self) -> None:
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        sessions = screen.sessions
        missing = sessions.known.missing(sessions.in_sight())
        if sessions.arranged.found and sessions.arranged.found.result.total and not missing:
            self._sign(f"⟦{sessions.arranged.found.result.query.text}⟧")

    def _sign(self, sign: str) -> None:
        def write() -> None:
            if self._driver is not None:
                self._driver.write(f"\x1b[1;1H{sign}")

        # First the list takes up what is new, then the screen paints it.
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        screen.sessions.call_after_refresh(screen.call_after_refresh, write)


if __name__ == "__main__":
    explorer.tui.app.ExplorerApp = SearchedApp  # type: ignore[misc]
    run()
