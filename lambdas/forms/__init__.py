"""The form system's functions."""
