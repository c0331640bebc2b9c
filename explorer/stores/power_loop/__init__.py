"""The files of power-loop, with or without a prefix to their tables."""
