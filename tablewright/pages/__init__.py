"""Pages: what people read about a table, made from its design and from measurements."""
