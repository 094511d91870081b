"""Deployment of a stage to AWS: `make bootstrap`, `deploy`, `user` and `destroy`."""


class Refused(Exception):
    """What was asked for would fail, or lose something: says what to do instead."""
