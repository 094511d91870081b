"""Functions that look after a stage as a whole."""
