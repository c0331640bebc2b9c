"""The list of sessions on the screen: rows, search bar, filters, sort order, how the file is."""
