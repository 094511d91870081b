"""Errors of describing a design, and of reading a description."""

from tablewright.model.errors import TablewrightError


class Indescribable(TablewrightError):
    """A design has something that plain data cannot name: a lambda, a class of one's own."""


class InvalidDescription(TablewrightError):
    """A description is incomplete or wrong; the message has the path and the value."""
