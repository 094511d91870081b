"""Adoption: a design proposed for a table that exists, and how much of the table it explains."""
