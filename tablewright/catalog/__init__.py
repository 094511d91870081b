"""Catalogue: ready-made tables. Each folder has designs, and their constructs in `constructs`."""
