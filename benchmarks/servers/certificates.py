"""Certificates of servers on this machine, made when they are needed, and whom clients trust."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import botocore
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def certificate(folder: Path, *, host: str = "127.0.0.1") -> Path:
    """A file with a key and a certificate for this address, which nobody has signed but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), False)
        .sign(key, SHA256())
    )  # fmt: skip
    file = folder / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


def serving(file: Path) -> ssl.SSLContext:
    """How a server with this certificate speaks TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def authorities(folder: Path, own: Path, others: str) -> Path:
    """A file of authorities, and our own: to read them is most of the cost of a first answer."""
    _, begin, made = own.read_bytes().partition(b"-----BEGIN CERTIFICATE-----")
    file = folder / f"{len(others)}-authorities.pem"
    file.write_bytes(others.encode() + b"\n" + begin + made)
    return file


def of_botocore() -> str:
    """The authorities that boto3 trusts."""
    return (Path(botocore.__file__).parent / "cacert.pem").read_text(encoding="utf-8")
