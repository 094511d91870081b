"""Commands on designs: what they are, and what follows from them."""
