"""Explained patterns: the calls that a store makes for them, and what these consume."""
