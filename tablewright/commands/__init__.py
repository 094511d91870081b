"""Commands: what `tablewright` does, on designs, on items, for operators."""
