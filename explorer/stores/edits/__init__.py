"""The only moments at which somebody else's file is written: planned, confirmed, undoable.

`delete_plan`, `changes` and `undo` say what would happen, `editor` has it done and taken back. All
that leaves a file is first complete in our trash, and every write goes through `connection`.
"""
