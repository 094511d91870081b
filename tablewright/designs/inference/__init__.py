"""Inference: a design from what is known of a table, its keys, indexes and some of its items."""
