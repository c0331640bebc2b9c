"""Pruning by rules, on a screen of its own."""
