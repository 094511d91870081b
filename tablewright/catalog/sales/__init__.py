"""Sales intelligence: prices by product, category, brand and embedding."""
