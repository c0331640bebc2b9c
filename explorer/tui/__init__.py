"""The app: everything that draws.

Textual paints at most sixty times a second, so up to 17 ms after a key has been worked out. How
often it may, it reads from the environment when it is loaded, which is after this.
"""

import os

FRAMES = "240"

os.environ.setdefault("TEXTUAL_FPS", FRAMES)
