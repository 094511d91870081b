"""Lambda functions of each system: thin handlers over domain rules over a store."""
