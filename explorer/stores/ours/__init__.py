"""Our own files: the notes about sessions, and the trash."""
