"""Behind a company's certificate the set-up trusts what the machine trusts, or says what to set."""

import http.server
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.testing.engine import certificates, tools
from tablewright.testing.engine.tools import NPM_QUICK, Shell
from toolchain import paths, steps
from toolchain.steps import Step

# The local cloud's Python has the package that makes certificates.
MAKE = """
import datetime, ipaddress, sys
from pathlib import Path
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

def made(name, issuer, signer, **extensions):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer or subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), True))
    if issuer is not None:
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
    return key, builder.sign(signer or key, hashes.SHA256())

folder = Path(sys.argv[1])
pem = serialization.Encoding.PEM
authority_key, authority = made("A company", None, None)
key, certificate = made("127.0.0.1", authority.subject, authority_key)
(folder / "company.pem").write_bytes(authority.public_bytes(pem))
(folder / "server.pem").write_bytes(certificate.public_bytes(pem) + authority.public_bytes(pem)
    + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
"""


class Registry(http.server.BaseHTTPRequestHandler):
    """Answers as much as `npm ping` asks for."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a registry behind a company's certificate, and that certificate."""
    folder = tmp_path_factory.mktemp("company")
    subprocess.run((paths.ministack_python(), "-c", MAKE, folder), check=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_address[1]}/", folder / "company.pem"
    server.shutdown()
    server.server_close()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine on which nothing names a certificate."""
    for name in (*certificates.NAMES, "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(certificates, "PLACES", ())
    return monkeypatch


def ping(registry: str, folder: Path) -> subprocess.CompletedProcess[str]:
    own = ("--userconfig", str(folder / "none"), "--globalconfig", str(folder / "none-either"))
    return subprocess.run(
        (paths.npm(), "ping", "--registry", registry, *own, *NPM_QUICK, "--cache", str(folder)),
        env={**paths.environment(), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_npm_trusts_whom_other_tools_are_told_to_trust(
    name: str, company: tuple[str, Path], bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    registry, certificate = company
    bare.setenv(name, str(certificate))
    done = ping(registry, tmp_path)
    assert done.returncode == 0, done.stderr


def test_npm_trusts_whom_the_system_trusts(
    company: tuple[str, Path], bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    registry, certificate = company
    bare.setattr(certificates, "PLACES", (str(tmp_path / "elsewhere"), str(certificate)))
    done = ping(registry, tmp_path)
    assert done.returncode == 0, done.stderr


def test_who_trusts_nobody_is_told_what_to_set(
    company: tuple[str, Path],
    bare: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = ping(company[0], tmp_path)
    assert said.returncode != 0
    assert certificates.distrusted(said.stderr)
    bare.setattr(steps, "LOGS", paths.BUILD / "logs" / "test")
    bare.setattr(steps, "STAMPS", tmp_path)

    def fail(shell: Shell) -> None:
        shell.log.write_text(said.stderr)
        shell.run("false")

    with (tmp_path / "lock").open("w") as lock:
        step = Step("npm", "CDK CLI", "key", [], fail, "Check the network.")
        assert not steps._run(step, "[1/1]", lock.fileno())
    told = capsys.readouterr().out
    assert "export NODE_EXTRA_CA_CERTS=/path/to/company.pem" in told
    assert "Check the network" not in told


def test_a_certificate_that_is_named_for_node_stays(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("NODE_EXTRA_CA_CERTS", __file__)
    bare.setenv("SSL_CERT_FILE", str(paths.ROOT / "Makefile"))
    assert paths.environment()["NODE_EXTRA_CA_CERTS"] == __file__


def test_a_step_that_takes_long_shows_that_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tools, "_DOT_SECONDS", 0.01)
    with (tmp_path / "lock").open("w") as lock:
        Shell(tmp_path / "log", lock.fileno(), tmp_path).run("sleep", "0.2")
    assert capsys.readouterr().out.startswith("..")
