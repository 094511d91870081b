"""The sentiment dashboard: what is said about the watched tags, and in which mood."""
