"""Search for content by words, and the index that it is answered from."""
