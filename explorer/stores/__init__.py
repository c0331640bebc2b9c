"""Where sessions are kept: reading any store, and through its edits changing it."""
