"""Commands for operators of a deployed table."""
