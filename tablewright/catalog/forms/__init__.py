"""Forms: submissions of many tenants' web forms, their deliveries and counts."""
