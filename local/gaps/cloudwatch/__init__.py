"""Gaps of CloudWatch: metrics of functions and APIs, and alarms on them."""
