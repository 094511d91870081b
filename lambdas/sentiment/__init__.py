"""Sentiment: what is said about the watched tags and companies, and in which mood."""
