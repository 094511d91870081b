"""Destinations: one module for each type, and what they have in common."""
