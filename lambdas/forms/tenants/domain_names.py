"""Domain names in one spelling, and the key that one is looked up by."""

import re
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

import idna

from tablewright.model.errors import InvalidValue

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

# More than any domain needs before it is normalised, which takes its time.
_LONGEST_GIVEN = 1024
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_FORM = "must be a domain name, such as example.com"


def normalised(domain: str) -> str:
    """A domain as it is looked up: small letters, no final dot, no ``www.``, IDNA.

    By UTS 46 without its transitional part, as browsers have it: ``ß`` is a letter of its own.

    >>> normalised("WWW.Example.com.")
    'example.com'
    >>> normalised("Straße.example")
    'xn--strae-oqa.example'
    """
    given = domain.strip().removesuffix(".")
    try:
        if len(given) > _LONGEST_GIVEN:
            raise idna.IDNAError
        text = idna.encode(given, uts46=True, std3_rules=True, transitional=False).decode()
    except UnicodeError:
        raise InvalidValue("domain", _FORM) from None
    # The same site under its older name; whoever has the one has the other.
    text = text.removeprefix("www.") if text.count(".") > 1 else text
    # 10.0.0.1 and 127.0x1 are addresses: no domain ends in a number.
    if "." not in text or _NUMBER.fullmatch(text.rpartition(".")[2]):
        raise InvalidValue("domain", _FORM)
    return text


def domain_key(domain: str) -> dict[str, str]:
    """The key fields of a domain's lookup.

    >>> domain_key("Example.com")
    {'domain_hash': 'a379a6f6eeafb9a5', 'domain': 'example.com'}
    """
    name = normalised(domain)
    return {"domain_hash": sha256(name.encode()).hexdigest()[:16], "domain": name}


def refuse_public(domain: str) -> None:
    """Raise InvalidValue for a domain, normalised, under which anybody can have one: ``co.uk``.

    By the public suffix list, its private section included: pages of ``github.io`` are of many.
    """
    if _public_suffixes().publicsuffix(domain) == domain:
        raise InvalidValue("domain", "must be a domain of its own, not one that many share")


@cache
def _public_suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # only whoever is given domains pays for it

    return PublicSuffixList()  # as its package carries it: nothing is asked of the network
