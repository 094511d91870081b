"""Entry points of the operations functions."""
