"""Streams: changes of a table, and what is derived from them."""
