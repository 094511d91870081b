"""URLs of webhooks: what a tenant may name, checked alike when it is stored and used."""

from typing import NamedTuple
from urllib.parse import urlsplit

from lambdas.forms.destinations.addresses import is_address, is_public
from lambdas.forms.tenants.domain_names import normalised
from tablewright.model import InvalidValue

LONGEST_URL = 2048
_THIS_MACHINE = ("127.0.0.1", "localhost")
# Names that a resolver answers with this machine or this network.
_INSIDE = ("localhost", "local", "internal", "localdomain", "home.arpa")


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
