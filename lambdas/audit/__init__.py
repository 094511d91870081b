"""Audit of a stage: whether what is deployed still is as its templates promise."""
