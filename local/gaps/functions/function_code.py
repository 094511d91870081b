"""Gap: the code of a function is unpacked again for each process that runs it.

Twenty megabytes, then compiled by each: half of what the cloud has to do in its first minute. Here
an archive is unpacked once, and processes get a link to it. They must not write into it; on Lambda
they cannot.
"""

import hashlib
import os
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ministack.core import lambda_runtime

from local.gaps import expected

_unpacking = threading.Lock()


def close() -> None:
    module = expected.attribute(lambda_runtime, "zipfile")
    lambda_runtime.zipfile = SimpleNamespace(**{**vars(module), "ZipFile": _Archive})


class _Archive(zipfile.ZipFile):
    def extractall(self, path: Any = None, *_: object, **__: object) -> None:
        with open(str(self.filename), "rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
        unpacked = Path(tempfile.gettempdir(), f"unpacked-{name}")
        with _unpacking:
            if not unpacked.exists():
                partial = tempfile.mkdtemp()
                super().extractall(partial)
                os.rename(partial, unpacked)
        os.rmdir(path)
        os.symlink(unpacked, path)
