"""Sales: one table, one API."""
