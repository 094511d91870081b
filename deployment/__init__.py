"""What `make bootstrap`, `deploy`, `destroy` and `user` run: a stage on AWS, from first to last."""


class Refused(Exception):
    """What was asked for would fail, or lose something: says what to do instead."""
