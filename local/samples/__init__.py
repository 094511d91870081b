"""Samples: data to look at on the local cloud, the same for everybody."""
