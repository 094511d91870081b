"""A domain has one spelling, the one that browsers have, and is not everybody's."""

import pytest

from lambdas.forms.tenants.domain_names import domain_key, normalised, refuse_public
from tablewright.model import InvalidValue


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("WWW.Example.com.", "example.com"),
        ("example.com", "example.com"),
        (" Shop.Example.COM ", "shop.example.com"),
        ("www.com", "www.com"),
        ("MÜNCHEN.example", "xn--mnchen-3ya.example"),
        ("mu\u0308nchen.example", "xn--mnchen-3ya.example"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        # Letters of their own, by UTS 46 without its transitional part: not strasse.example.
        ("straße.example", "xn--strae-oqa.example"),
        ("βόλος.example", "xn--nxasmm1c.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ],
)
def test_a_domain_has_one_spelling(given: str, name: str) -> None:
    assert normalised(given) == name
    assert domain_key(given) == domain_key(name)


@pytest.mark.parametrize(
    "given",
    [
        *("", ".", "localhost", "a..b", "-a.b", "a.b-", "a b.c", "a#b.c", "http://a.b"),
        *("x" * 300, f"{'x' * 64}.example", ("a." * 130) + "a", "ü" * 100_000),
        *("a_b.example", "127.0.0.1", "10.1", "127.0x1", "a.\ud800", "a.\x00b", "xn--a.example"),
    ],
)
def test_what_is_no_domain_is_refused(given: str) -> None:
    with pytest.raises(InvalidValue, match="must be a domain name"):
        normalised(given)


@pytest.mark.parametrize("domain", ["com", "co.uk", "github.io", "s3.amazonaws.com", "a.ck"])
def test_a_domain_under_which_anybody_may_have_one_is_refused(domain: str) -> None:
    with pytest.raises(InvalidValue, match="not one that many share"):
        refuse_public(domain)


@pytest.mark.parametrize(
    "domain", ["example.co.uk", "acme.github.io", "shop.example.com", "www.ck", "acme.example"]
)
def test_a_domain_of_its_own_is_taken(domain: str) -> None:
    refuse_public(domain)
