"""Bills of the systems: what each business event takes beside its table."""
