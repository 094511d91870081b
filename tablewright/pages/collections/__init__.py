"""Item collections: which items lie together, and a picture of it."""
