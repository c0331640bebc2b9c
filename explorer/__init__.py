"""Session Explorer: review, search, resume and prune an AI agent's past sessions."""

__version__ = "0.2.0"
