"""DAX: a cache in front of a table, and the network it needs."""
