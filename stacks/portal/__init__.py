"""Portal: content, fan-out of notifications, events and their archive."""
