"""The transcript without a screen: outline, layout, heights, find and highlights."""
