"""What a terminal is told when the app no longer can: after a crash, or when leaving takes too
long."""

GIVE_BACK = (
    b"\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h"
)
"""No more reports of keys, mouse, focus and pastes; lines are wrapped, the cursor is seen."""
LEAVE_SCREEN = b"\x1b[?1049l"
"""What was on the terminal before the app."""
