"""Gaps of IAM: what requests are authorized as, and by which conditions."""
