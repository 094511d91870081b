"""Copies of a table to a new table: mapped, kept in step, verified, cut over and back."""
