"""Streams: what consumes the changes of a table."""
