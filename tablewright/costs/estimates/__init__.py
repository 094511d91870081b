"""Estimates: what a month of a design costs, by its traffic."""
