"""Comparison of two designs: every difference, classed by what it asks of a table with items."""
