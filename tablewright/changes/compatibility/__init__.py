"""Compatibility of two designs, computed by running both codecs against each other."""
