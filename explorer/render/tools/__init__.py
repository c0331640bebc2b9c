"""A tool call and its result as one block."""
