"""Content: its lifecycle, its lists, its files, its dates."""
