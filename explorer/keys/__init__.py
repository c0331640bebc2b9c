"""What can be done with a key: the table of actions, and the user's own keys."""
