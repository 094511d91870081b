"""Store: a design's access patterns, run against its table."""
