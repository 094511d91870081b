"""Managing tenants: what they have, what was sent to them and what became of it."""
