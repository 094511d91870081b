"""Ingestion: items and news from their sources into the tables, each once."""
