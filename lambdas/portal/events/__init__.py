"""Events of users: their log and its export."""
