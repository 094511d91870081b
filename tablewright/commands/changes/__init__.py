"""Commands that change live tables, and say how they would change."""
