"""What users are told, and what they want to be told of."""
