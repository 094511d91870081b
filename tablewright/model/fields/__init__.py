"""Fields: what an attribute holds."""
