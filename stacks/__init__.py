"""One stack per system, composed of constructs. Stages differ by settings, never by code."""
