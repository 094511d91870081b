"""Shards of tenants: how many each is to have."""
