"""One search for the bar, the command line and prune: from a query to hits."""
