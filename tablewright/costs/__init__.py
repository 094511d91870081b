"""Costs: prices of regions, capacity that is measured or computed, and what it costs a month."""
