"""Sharding: one logical partition spread over several."""
