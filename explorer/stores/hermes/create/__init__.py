"""New state files of the shape Hermes gives them: for the demo and for tests."""
