"""A backfill by the clock: a function carries it on, run after run, until it is done."""
