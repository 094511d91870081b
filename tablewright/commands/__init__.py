"""What an operator runs against a deployed table."""
