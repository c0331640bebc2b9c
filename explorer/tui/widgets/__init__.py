"""Parts of the screen that several areas share."""
