"""The certificates that Node's tools trust: those of the machine, as everything else on it does.

npm from a wheel reads neither the machine's npm settings nor, by itself, its certificates; behind a
company's proxy it would trust nobody.
"""

from collections.abc import Mapping
from pathlib import Path

# Whoever set one of these meant all tools.
NAMES = (
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "PIP_CERT", "AWS_CA_BUNDLE"),
)
# Where systems keep their certificates: Debian, Red Hat, Alpine and macOS, SUSE.
PLACES = (
    *("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"),
    *("/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem"),
)
# What npm and pip say when they do not trust the other side.
DISTRUST = (
    *(
        "SELF_SIGNED_CERT_IN_CHAIN",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ),
    *("UNABLE_TO_GET_ISSUER_CERT", "CERTIFICATE_VERIFY_FAILED"),
)


def node_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """What to add to the environment of Node."""
    named = [environ[name] for name in NAMES if environ.get(name)]
    found = next((file for file in (*named, *PLACES) if Path(file).is_file()), None)
    # The second is for certificates in no file, such as a keychain's. Older Nodes pass over it.
    return {**({"NODE_EXTRA_CA_CERTS": found} if found else {}), "NODE_USE_SYSTEM_CA": "1"}


def distrusted(output: str) -> bool:
    """Whether a tool failed because it did not trust whom it talked to."""
    return any(word in output for word in DISTRUST)


def advice(again: str) -> str:
    """What to do about it, before the command is run again."""
    return (
        "The registry's certificate is signed by nobody whom this machine trusts, as behind a "
        f"company's proxy. Name the file of the company's certificates and run {again} again:\n"
        "    export NODE_EXTRA_CA_CERTS=/path/to/company.pem PIP_CERT=/path/to/company.pem"
    )
