"""The list without a screen: what is listed, in which order, under which headings and names."""
