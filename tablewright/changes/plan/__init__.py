"""Plan: the ordered steps from one design of a live table to another."""
