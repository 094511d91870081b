"""Sentiment and financial news: ingestion, analysis, projection, page, healing, replicas."""
