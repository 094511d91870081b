"""Tenants: what they have, by whom they are known, and what proves it."""
