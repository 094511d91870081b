"""The emulated cloud's process: ministack with its gaps closed, on the loopback address.

It runs inside ministack's own virtual environment, from the project's root:

    GATEWAY_PORT=4566 STATE_DIR=... .build/ministack/bin/python -m local.emulator.server

| variable | meaning |
|---|---|
| GATEWAY_PORT | the port, 4566 unless given |
| STATE_DIR | required: everything that must survive a restart, and the scratch folder |
| PERSIST_STATE, S3_PERSIST, S3_DATA_DIR | ministack's own: keep state between runs |
| AUTH | ministack's own: `true` enforces IAM |
| LOCAL_GAPS_WITHOUT | gaps to leave open, separated by commas: how the tests show what each does |
"""

import os
import shutil
import tempfile
from pathlib import Path


def main() -> None:
    # The listeners beside the gateway would face the network, and two emulators would clash.
    os.environ |= {"BIND_HOST": "127.0.0.1", "IOT_MTLS_ENABLED": "0", "SFTP_ENABLED": "0"}
    scratch = _own_scratch_folder(Path(os.environ["STATE_DIR"]))
    try:
        # ministack reads the environment as it is imported.
        from ministack import app

        from local import gaps

        gaps.close(without=os.environ.get("LOCAL_GAPS_WITHOUT", "").replace(",", " ").split())
        app.main()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _own_scratch_folder(state: Path) -> Path:
    """ministack leaves unpacked functions in the temporary folder: it gets one that we empty."""
    scratch = state / "tmp"
    # A run that was killed leaves its own behind.
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    return scratch


if __name__ == "__main__":
    main()
