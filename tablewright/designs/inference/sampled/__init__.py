"""Sampled tables: a design from many items, by what nearly all of a kind have in common."""
