"""What type checkers must know of declarations, and the mistakes that they must report."""
