"""How Hermes keeps its sessions, for the edits engine."""
