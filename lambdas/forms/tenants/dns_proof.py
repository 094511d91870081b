"""Proof by DNS: whoever owns a domain can publish a record under it.

A record ``_tablewright.{domain}`` of type TXT with the claim's token. Looked up by the system's
resolver, with no other request to what a tenant names.
"""

from collections.abc import Callable

LABEL, ATTRIBUTE = "_tablewright", "tablewright-domain"
SECONDS = 5.0
# Those of one name that are looked at.
MOST_RECORDS = 100
# Reserved for examples and tests (RFC 2606): nobody can own them, and nobody is reached by them.
_RESERVED = (".example", ".test")

# The texts of a name's TXT records; raises NoRecords, or NotAnswered for what passes.
Texts = Callable[[str], list[str]]


class NoRecords(Exception):
    """The name does not exist, or has no TXT records."""


class NotAnswered(Exception):
    """DNS gave no answer, which says nothing about the domain."""


def record_name(domain: str) -> str:
    return f"{LABEL}.{domain}"


def record_value(token: str) -> str:
    return f"{ATTRIBUTE}={token}"


class DnsProof:
    """Says what is missing for the proof of a domain.

    `local` where nothing runs but tests and trials: reserved domains need no proof there.
    """

    def __init__(self, texts: Texts, *, local: bool = False) -> None:
        self._texts = texts
        self._local = local

    def missing(self, domain: str, token: str) -> str | None:
        """Why a domain is not proven, None where it is."""
        if self._local and domain.endswith(_RESERVED):
            return None
        name = record_name(domain)
        try:
            found = self._texts(name)
        except NoRecords:
            return f"there is no TXT record {name}"
        except NotAnswered:
            return f"DNS did not answer for {name}"
        if record_value(token) in found[:MOST_RECORDS]:
            return None
        return f"no TXT record {name} has the value {record_value(token)}"


def texts(name: str) -> list[str]:
    """The TXT records of a name, as the system's resolver has them."""
    import dns.exception  # only whoever looks one up pays for it
    import dns.resolver

    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        raise NoRecords(name) from None
    except (dns.exception.DNSException, OSError):
        raise NotAnswered(name) from None
    return [b"".join(one.strings).decode(errors="replace") for one in answer]
