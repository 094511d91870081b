"""What keeps a design from being described."""

from tablewright.model.errors import TablewrightError


class Indescribable(TablewrightError):
    """A design has something that plain data cannot name: a lambda, a class of one's own."""
