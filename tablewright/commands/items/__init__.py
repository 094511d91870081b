"""Commands on items of deployed tables, many at a time."""
