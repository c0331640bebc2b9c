"""The one table of everything a user can do, with its keys."""
