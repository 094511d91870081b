"""Chapters of the page: what each measures."""
