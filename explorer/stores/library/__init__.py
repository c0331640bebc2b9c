"""Several stores as one: their keys made unique, and what is asked of all passed on to each."""
