"""Servers of benchmarks, in processes of their own, that end with whoever started them."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(module: str, certificate: Path | None = None) -> Iterator[str]:
    """A module that serves, with TLS where there is a certificate; gives its address."""
    own = [str(certificate)] if certificate else []
    command = [sys.executable, "-m", module, *own]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            port = (server.stdout or sys.stdin).readline()
            yield f"{'https' if certificate else 'http'}://127.0.0.1:{int(port)}"
        finally:
            server.kill()


def serves(port: int) -> None:
    """Say where this process listens; it ends when nobody is there to be told."""
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()

    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
