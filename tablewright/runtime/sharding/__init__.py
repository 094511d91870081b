"""Shard counts of tenants at run time."""
