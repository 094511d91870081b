"""Orders of a shop: the table, and the function that uses it."""
