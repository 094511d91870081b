"""Admin API: its resources, routes and document."""
