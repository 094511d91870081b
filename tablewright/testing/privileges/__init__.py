"""Privileges: what a function calls, beside what its role allows."""
