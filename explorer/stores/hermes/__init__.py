"""The files of Hermes Agent, of any schema."""
