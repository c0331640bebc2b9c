"""Stored text as clean lines: no stored text reaches a screen by another way."""
