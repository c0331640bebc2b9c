"""Transcripts that Hermes keeps as files beside its state file."""
