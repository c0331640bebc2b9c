"""The sessions of a Hermes file: the first page, the survey of all, the visible rows."""
