"""Service: what a client must know about a service of AWS to speak to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Service(NamedTuple):
    """A service's protocol: what requests carry, and how their answers are read.

    Errors are read as AWS's JSON has them: the code in `__type`, the text in `message`.
    """

    name: str
    # Before the operation, in the header that names it; services without it name it in the body.
    target: str
    content_type: str
    dump: Callable[[str, dict[str, Any]], bytes]
    load: Callable[[bytes], Any]
