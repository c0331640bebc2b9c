"""Reading a PostgreSQL server; most of it against a real one."""
