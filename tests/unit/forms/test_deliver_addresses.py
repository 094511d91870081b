"""Addresses that requests of a tenant's choosing may go to."""

import pytest

from lambdas.forms.destinations.addresses import AddressRefused, is_public, pinned

REFUSED = {
    "loopback": ("127.0.0.1", "127.255.255.254", "::1"),
    "private": ("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"),
    "link-local": ("169.254.0.1", "fe80::1", "fe80::1%eth0"),
    "metadata": ("169.254.169.254", "169.254.170.2", "fd00:ec2::254", "168.63.129.16"),
    "shared": ("100.64.0.1", "100.100.100.200"),
    "multicast": ("224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"),
    "unspecified": ("0.0.0.0", "0.1.2.3", "::"),  # noqa: S104 - to be refused
    "reserved": ("240.0.0.1", "255.255.255.255", "192.0.0.8", "198.18.0.1"),
    "documentation": ("192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"),
    "IPv4-mapped": ("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"),
    "IPv4-compatible": ("::127.0.0.1", "::8.8.8.8"),
    "IPv4-translated": ("::ffff:0:10.0.0.1",),
    "6to4": ("2002:7f00:1::", "2002:a9fe:a9fe::1", "192.88.99.1"),
    "NAT64": ("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b::8.8.8.8"),
    "Teredo": ("2001:0:4136:e378:8000:63bf:3fff:fdd2",),
    "site-local": ("fec0::1",),
    "no address": ("", "example.com", "127.1", "2130706433", "0x7f.1", "8.8.8.8/32"),
}


@pytest.mark.parametrize("address", [one for group in REFUSED.values() for one in group])
def test_what_leads_inside_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111"]
)
def test_what_is_public_is_allowed(address: str) -> None:
    assert is_public(address)


def test_a_name_is_resolved_once_and_all_of_its_addresses_must_be_public() -> None:
    asked = []

    def resolver(*addresses: str):  # type: ignore[no-untyped-def]
        def resolve(host: str, port: int) -> list[str]:
            asked.append((host, port))
            return list(addresses)

        return resolve

    assert pinned("example.com", 443, resolver("8.8.8.8", "8.8.4.4"), is_public) == "8.8.8.8"
    assert asked == [("example.com", 443)]
    for found in (("8.8.8.8", "10.0.0.1"), ("::1", "8.8.8.8"), ()):
        with pytest.raises(AddressRefused):
            pinned("example.com", 443, resolver(*found), is_public)
