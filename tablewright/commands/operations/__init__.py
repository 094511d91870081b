"""Commands for operators of a deployed stage."""
