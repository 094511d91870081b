"""Description: the meaning of a design as plain JSON."""
