"""Clients of the deployed application: its HTTP APIs, its users, a receiver of webhooks."""
