"""The only moments at which somebody else's file is written: planned, confirmed, undoable.

`planning` says in words and numbers what would happen, `editor` does it and takes it back. All
that leaves a file is first complete in our trash, and every write goes through `writing`.
"""
