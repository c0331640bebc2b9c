"""The main screen, help, and the screen for a file that cannot be read."""
