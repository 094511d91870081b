"""Handlers of the sales system."""
