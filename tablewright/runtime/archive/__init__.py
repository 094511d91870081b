"""Archive: items that left a table, as files in a bucket, each once."""
