"""The list that a search makes, while somebody types."""
