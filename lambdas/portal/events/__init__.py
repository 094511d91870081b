"""Events of users: what is taken, and their log."""
