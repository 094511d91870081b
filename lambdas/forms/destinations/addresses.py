"""Addresses of webhooks: the URLs that a tenant may name, and what they may lead to.

Only public ones, and none that leads inside; checked when a URL is stored, and when it is used.
"""

import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple
from urllib.parse import urlsplit

from lambdas.forms.tenants.domain_names import normalised
from tablewright.model import InvalidValue

Resolver = Callable[[str, int], Sequence[str]]

# What is routed somewhere else than it seems, and so could be anywhere. What is not public at all
# Python knows, but not every version of it all: those are named here too.
_REFUSED = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # relays of 6to4
            "168.63.129.16/32",  # metadata of another cloud, at a public address
            "::/96",  # IPv4-compatible
            "::ffff:0:0/96",  # IPv4-mapped
            "::ffff:0:0:0/96",  # IPv4-translated
            "64:ff9b::/96",  # NAT64
            "64:ff9b:1::/48",
            "2001::/23",  # protocol assignments, Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
            "fec0::/10",  # site-local
            "5f00::/16",  # segment routing
        ),
    )
)
LONGEST_URL = 2048
_THIS_MACHINE = ("127.0.0.1", "localhost")
# Names that a resolver answers with this machine or this network.
_INSIDE = ("localhost", "local", "internal", "localdomain", "home.arpa")


class AddressRefused(ValueError):
    """The name leads where nothing may be sent."""


def is_public(address: str) -> bool:
    """Whether anybody on the internet could have this address, and it is what it seems.

    >>> is_public("93.184.216.34"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if not ip.is_global or ip.is_multicast or ip.is_reserved or ip.is_unspecified:
        return False
    return not any(ip.version == net.version and ip in net for net in _REFUSED)


def is_address(text: str) -> bool:
    """Whether a host is named by its address, and not by a name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name; raises OSError when it has none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def in_time(resolver: Resolver, seconds: float) -> Resolver:
    """The resolver, or TimeoutError after so many seconds.

    The system's cannot be told when to give up, and a tenant's name server may never answer. So
    it is asked in a thread that nobody waits for any longer.
    """

    def resolve_in_time(host: str, port: int) -> Sequence[str]:
        found: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()

        def ask() -> None:
            try:
                found.put(resolver(host, port))
            except Exception as error:  # for whoever waits
                found.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            answer = found.get(timeout=seconds)
        except Empty:
            raise TimeoutError(host) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    return resolve_in_time


def pinned(host: str, port: int, resolver: Resolver, allowed: Callable[[str], bool]) -> str:
    """The one address that a name is connected at. It is not asked for again.

    All of its addresses must be allowed: which of them comes first is up to whoever owns the name.
    """
    addresses = resolver(host, port)
    if not addresses or not all(map(allowed, addresses)):
        raise AddressRefused(host)
    return addresses[0]


class BadUrl(ValueError):
    """An address that nothing is sent to; the text says what it must be."""


class Url(NamedTuple):
    """An address, taken apart; `path` has the query with it."""

    host: str
    port: int
    path: str
    encrypted: bool


def read_url(value: object, *, local: bool = False) -> Url:
    """The parts of an address; raises BadUrl. `local` lets it be one of this machine.

    What its name resolves to is looked at when it is called, for only then is it known.
    """
    if not isinstance(value, str) or not value.isascii() or len(value) > LONGEST_URL:
        raise BadUrl(f"must be an https URL of at most {LONGEST_URL} characters")
    if not value.isprintable() or " " in value or "\\" in value:
        raise BadUrl("must not contain spaces, backslashes or control characters")
    try:
        parts = urlsplit(value)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadUrl("must be an https URL") from None
    here = local and host in _THIS_MACHINE
    encrypted = parts.scheme == "https"
    if not host or not (encrypted or (here and parts.scheme == "http")):
        raise BadUrl("must be an https URL")
    if "@" in parts.netloc:
        raise BadUrl("must not contain credentials")
    if parts.fragment or port == 0:
        raise BadUrl("must have no fragment, and no port 0")
    if not here:
        _check_host(host)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Url(host, port or (443 if encrypted else 80), path, encrypted)


def _check_host(host: str) -> None:
    if is_address(host):
        if not is_public(host):
            raise BadUrl("must not name an address that is private, reserved or leads elsewhere")
        return
    try:
        name = normalised(host)  # which takes no address in another spelling, as 127.1 and 0x7f.1
    except InvalidValue:
        raise BadUrl("must name a host by its domain") from None
    if any(name == one or name.endswith(f".{one}") for one in _INSIDE):
        raise BadUrl("must not name a host of this network")
