"""Isolation: what a tenant's session could reach of other tenants."""
