"""Backfill: the items of a live table, written as its new design writes them; and verified."""
