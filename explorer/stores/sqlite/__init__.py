"""Reading a SQLite file that is not ours: opening, retrying, cancelling, cells of any kind."""
