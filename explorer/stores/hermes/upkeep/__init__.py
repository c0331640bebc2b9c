"""What Hermes does to sessions by itself, by its settings and its rules."""
