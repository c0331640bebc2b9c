"""Finding a session that the list does not show."""
