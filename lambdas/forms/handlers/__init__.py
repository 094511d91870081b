"""Handlers of the form system's functions."""
