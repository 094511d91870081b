"""Cursors of pages, and the keys that sign them."""
