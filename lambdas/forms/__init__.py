"""Forms: submissions taken in, delivered and counted."""
