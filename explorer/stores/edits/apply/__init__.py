"""Doing what was planned, in short steps, and taking it back: the trash is the journal."""
