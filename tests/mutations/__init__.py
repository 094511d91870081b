"""Mutations of claimed behaviors, and a command that checks that the named tests notice them."""
