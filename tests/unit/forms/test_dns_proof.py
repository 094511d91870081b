"""Proof by DNS: an answer that there is nothing is not the same as no answer."""

from typing import Any

import dns.exception
import dns.rdata
import dns.resolver
import pytest

from lambdas.forms.tenants.dns_proof import SECONDS, NoRecords, NotAnswered, texts


def answering(monkeypatch: pytest.MonkeyPatch, answer: Any) -> list[Any]:
    """Have the resolver give an answer, or raise it; gives what it is asked."""
    asked: list[Any] = []

    def resolve(name: str, kind: str, **options: Any) -> Any:
        asked.append((name, kind, options))
        if isinstance(answer, type):
            raise answer
        return [dns.rdata.from_text("IN", "TXT", text) for text in answer]

    monkeypatch.setattr(dns.resolver, "resolve", resolve)
    return asked


def test_the_parts_of_a_record_are_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering(monkeypatch, ['"tablewright-" "domain=0"', '"v=spf1 -all"', '"\\255"'])
    assert texts("_tablewright.example.com") == ["tablewright-domain=0", "v=spf1 -all", "\ufffd"]
    # The whole name, and no longer than that.
    options = {"lifetime": SECONDS, "search": False}
    assert asked == [("_tablewright.example.com", "TXT", options)]


@pytest.mark.parametrize("error", [dns.resolver.NXDOMAIN, dns.resolver.NoAnswer])
def test_a_name_without_records_is_said_to_have_none(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    answering(monkeypatch, error)
    with pytest.raises(NoRecords):
        texts("_tablewright.example.com")


@pytest.mark.parametrize(
    "error",
    [
        *(dns.resolver.LifetimeTimeout, dns.resolver.NoNameservers),
        *(dns.exception.DNSException, OSError),
    ],
)
def test_a_resolver_that_does_not_answer_says_nothing_about_the_name(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    answering(monkeypatch, error)
    with pytest.raises(NotAnswered):
        texts("_tablewright.example.com")
