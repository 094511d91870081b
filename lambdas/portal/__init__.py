"""The functions of the enablement portal: content, notifications, subscriptions and events."""
