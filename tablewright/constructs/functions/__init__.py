"""Functions: Lambda code, bundled without Docker."""
