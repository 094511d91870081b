"""Portal: enablement content, notifications, subscriptions and events."""
