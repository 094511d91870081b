"""Tokens that nobody signed in for, made with the user pool's own key or with another one."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

from toolchain import paths

# The local cloud's Python has a library for RSA, this one has not.
_SIGN = """
import sys
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
pem = sys.argv[1]
key = (serialization.load_pem_private_key(open(pem, "rb").read(), None) if pem
       else rsa.generate_private_key(public_exponent=65537, key_size=2048))
sys.stdout.buffer.write(key.sign(sys.stdin.buffer.read(), padding.PKCS1v15(), hashes.SHA256()))
"""


def claims_of(token: str) -> dict[str, Any]:
    return dict(_decoded(token.split(".")[1]))


def signed(token: str, key: Path | None, **changes: Any) -> str:
    """The token with other claims, signed with the key or, without one, by a stranger."""
    header = token.split(".")[0]
    text = f"{header}.{_encoded(json.dumps({**claims_of(token), **changes}).encode())}"
    command = (str(paths.ministack_python()), "-c", _SIGN, str(key or ""))
    made = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return f"{text}.{_encoded(made.stdout)}"


def unsigned(token: str) -> str:
    """The token as if it needed no signature."""
    header = {**_decoded(token.split(".")[0]), "alg": "none"}
    return f"{_encoded(json.dumps(header).encode())}.{token.split('.')[1]}."


def tampered(token: str, **changes: Any) -> str:
    """The token with other claims under its old signature."""
    header, _, signature = token.split(".")
    claims = _encoded(json.dumps({**claims_of(token), **changes}).encode())
    return f"{header}.{claims}.{signature}"


def _decoded(part: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
