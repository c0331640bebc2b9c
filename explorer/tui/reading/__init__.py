"""Reading a session on the screen: transcript, find, details, a block alone."""
