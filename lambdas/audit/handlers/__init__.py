"""Functions of the audit."""
