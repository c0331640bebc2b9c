"""The messages of a Hermes session: outlines, bodies, and which are for a person to see."""
