"""What the HTTP functions of all systems share."""
