"""Financial news: ingestion, and the healing of items that were never analysed."""
