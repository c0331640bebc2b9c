"""Where a session is that no list shows: the places where it may be, and what was found there."""
