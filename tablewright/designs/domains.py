"""Domains of web pages in one spelling, and the key that one is looked up by."""

import re
from hashlib import sha256

from tablewright.designs.errors import InvalidValue

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_LONGEST = 253


def normalised(domain: str) -> str:
    """A domain as it is looked up: small letters, no final dot, no ``www.``, IDNA.

    >>> normalised("WWW.Example.com.")
    'example.com'
    >>> normalised("münchen.example")
    'xn--mnchen-3ya.example'
    """
    try:
        text = domain.strip().removesuffix(".").encode("idna").decode().lower()
    except UnicodeError:
        raise InvalidValue("domain", "must be a domain name, such as example.com") from None
    # The same site under its older name; whoever has the one has the other.
    text = text.removeprefix("www.") if text.count(".") > 1 else text
    labels = text.split(".")
    if len(text) > _LONGEST or len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)):
        raise InvalidValue("domain", "must be a domain name, such as example.com")
    return text


def domain_key(domain: str) -> dict[str, str]:
    """The key fields of a domain's lookup.

    >>> domain_key("Example.com")
    {'domain_hash': 'a379a6f6eeafb9a5', 'domain': 'example.com'}
    """
    name = normalised(domain)
    return {"domain_hash": sha256(name.encode()).hexdigest()[:16], "domain": name}
