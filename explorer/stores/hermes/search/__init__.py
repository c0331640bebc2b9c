"""Hermes' own search tables, and the scan where they cannot tell."""
