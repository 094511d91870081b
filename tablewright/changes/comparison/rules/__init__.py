"""Rules: each an id, the kind of difference that it is for, its consequence and why."""
