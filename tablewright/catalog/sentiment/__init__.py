"""Sentiment: items as they are ingested and analysed, and the dashboard's read table."""
