"""Enablement portal: content, notifications, subscriptions and events."""
