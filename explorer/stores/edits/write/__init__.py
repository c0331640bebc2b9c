"""The one writable connection to somebody else's file, and what must be so before it is used."""
