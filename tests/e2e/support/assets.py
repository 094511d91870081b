"""Code of functions, bundled and zipped for one cloud of a run, and taken by those after it."""

import os
import shutil
from pathlib import Path

import pytest

from local.emulator.home import Home


def keep(home: Home, folders: pytest.TempPathFactory) -> None:
    """Let other clouds of this run have what one has deployed."""
    kept = _kept(folders)
    partial = kept.with_suffix(".partial")
    for path in home.cdk_out.iterdir():
        # Named by its content; all else says what is deployed where.
        if path.is_dir():
            shutil.copytree(path, partial / path.name, copy_function=os.link)
    partial.rename(kept)


def take(home: Home, folders: pytest.TempPathFactory) -> None:
    """Begin with what is kept already; a deployment makes whatever is not there."""
    kept = _kept(folders)
    if kept.exists():
        shutil.copytree(kept, home.cdk_out, copy_function=os.link)


def _kept(folders: pytest.TempPathFactory) -> Path:
    own = folders.getbasetemp()
    # Processes that share the tests share the folder above their own.
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "assets"
