"""Archive: what leaves a table, as files in a bucket that Athena reads."""
