"""Forms: submission, deliveries, administration."""
