"""Changes to power-loop's sessions on a PostgreSQL server: the same plans, trash and undo as for a
file, with the transactions of a server.

`editor.server_edits` is what a store calls. Nothing here is loaded before something is changed.
"""
