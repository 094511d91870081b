"""What the design before this one has written: items, entries, lists."""
