"""Queues of work for functions, with dead letters and alarms."""
