"""Handlers of an archive's functions."""
