"""Metrics of tenants: counted from the table's stream, summed for the dashboard."""
