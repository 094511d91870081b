"""Submissions: taking them in, keeping and listing them, deleting their payloads."""
