"""The sessions of a Hermes file: the first page, the survey of all, the rows in sight."""
