"""Alarms, and where they are sent."""
