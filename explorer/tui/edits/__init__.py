"""Changes from the app: plan, confirm, do, undo, trash."""
