"""The language of the search bar: what was typed, as clauses and fields."""
