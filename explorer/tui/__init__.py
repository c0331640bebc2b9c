"""The app: everything that draws.

Textual paints at most sixty times a second, so up to 17 ms after a key has been worked out. How
often it may, it reads from the environment when it is loaded, which is after this.
"""

import os

FRAMES = "240"

os.environ.setdefault("TEXTUAL_FPS", FRAMES)

GIVE_BACK = (
    b"\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h"
)
"""What a terminal is told when the app no longer can, after a crash or when leaving takes too long:
no more reports of keys, mouse, focus and pastes; lines are wrapped, the cursor is seen."""
