"""power-loop's sessions in PostgreSQL: the same store as for a file, over another database."""
