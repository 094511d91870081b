"""Addresses that a webhook may have: public ones over HTTPS, and nothing that leads inside."""

import pytest

from lambdas.forms.destinations.settings import check_settings, wrong_url


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com:8443/hooks?form=1",
        "https://xn--mnchen-3ya.example/",
        "https://93.184.216.34/hook",
        "https://[2606:2800:220:1:248:1893:25c8:1946]/hook",
    ],
)
def test_public_addresses_are_taken(url: str) -> None:
    assert wrong_url(url) is None


def test_addresses_of_this_machine_are_taken_only_where_the_stage_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, elsewhere = "http://127.0.0.1:8080/hook", "http://10.0.0.1/hook"
    assert wrong_url(here) == "must be an https URL"
    monkeypatch.setenv("LOCAL_WEBHOOKS", "true")
    assert wrong_url(here) is None
    assert wrong_url(elsewhere) == "must be an https URL"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.com", "https URL"),
        ("ftp://example.com", "https URL"),
        ("https://", "https URL"),
        ("https:example.com", "https URL"),
        ("https://example.com:99999", "https URL"),
        ("https://[::1", "https URL"),
        (5, "https URL"),
        ("https://example.com/" + "x" * 2048, "2048"),
        ("https://ada:secret@example.com", "credentials"),
        ("https://@example.com", "credentials"),
        ("https://example.com/a b", "spaces"),
        ("https://example.com\\@10.0.0.1/", "backslashes"),
        ("https://example.com/\n", "control"),
        ("https://example.com/#top", "fragment"),
        ("https://example.com:0/", "port 0"),
        ("https://10.0.0.1/", "private"),
        ("https://127.0.0.1/", "private"),
        ("https://169.254.169.254/latest/meta-data", "private"),
        ("https://0.0.0.0/", "private"),
        ("https://100.64.0.1/", "private"),
        ("https://224.0.0.1/", "private"),
        ("https://[::1]/", "private"),
        ("https://[::ffff:10.0.0.1]/", "private"),
        ("https://[fd00::1]/", "private"),
        ("https://[fe80::1]/", "private"),
        ("https://[64:ff9b::7f00:1]/", "leads elsewhere"),
        ("https://[64:ff9b::808:808]/", "leads elsewhere"),
        ("https://[::ffff:8.8.8.8]/", "leads elsewhere"),
        ("https://[2002:7f00:1::]/", "leads elsewhere"),
        ("https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "leads elsewhere"),
        ("https://168.63.129.16/", "leads elsewhere"),
        ("https://192.88.99.1/", "leads elsewhere"),
        ("https://127.1/", "domain"),
        ("https://0x7f.0.0.1/", "domain"),
        ("https://0177.0.0.0x1/", "domain"),
        ("https://2130706433/", "domain"),
        ("https://localhost/", "domain"),
        ("https://db.internal/", "this network"),
        ("https://printer.local./", "this network"),
        ("https://a.LOCALHOST/", "this network"),
    ],
)
def test_what_leads_inside_or_tells_secrets_is_refused(url: str, why: str) -> None:
    assert why in (wrong_url(url) or "")


@pytest.mark.parametrize(
    "to",
    ["ada@localhost", "ada", "@example.com", "ada@example.com\nBcc: eve@example.com", "a@b@c.de"],
)
def test_what_is_no_address_is_refused(to: str) -> None:
    assert check_settings("email", {"to": [to]}) == [
        ("to", "has an entry that is no e-mail address")
    ]


def test_every_reason_is_told() -> None:
    assert check_settings("s3", {"prefix": "\n", "colour": "red"}) == [
        ("colour", "is not one of bucket, account, prefix"),
        ("bucket", "is required"),
        ("prefix", "must be 1 to 512 letters, digits and ! _ . * ' ( ) / = -"),
    ]


def test_no_tenant_names_the_bucket_that_the_application_keeps_payloads_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert check_settings("s3", {"bucket": "payloads"}) == []
    monkeypatch.setenv("PAYLOADS_BUCKET", "payloads")
    wrong = [("bucket", "must be the name of a bucket of your own")]
    assert check_settings("s3", {"bucket": "payloads"}) == wrong
