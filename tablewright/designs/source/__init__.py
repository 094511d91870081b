"""Source: a design as the Python module that declares it."""
