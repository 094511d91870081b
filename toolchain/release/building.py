"""Distributions: sdist and wheel of the library, the same bytes for the same commit."""

import gzip
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from tablewright.testing.engine.tools import ToolError
from toolchain.paths import ROOT

EPOCH = "SOURCE_DATE_EPOCH"
FILES = ("pyproject.toml", "README.md", "LICENSE")
LIBRARY = "tablewright"


def epoch() -> str:
    """The time that everything in a distribution has: that of the commit."""
    if told := os.environ.get(EPOCH):
        return told
    asked = ("git", "log", "-1", "--format=%ct")
    try:
        return subprocess.run(
            asked, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise ToolError(f"There is no commit to take the time of. Set {EPOCH}.") from None


def copy_source(folder: Path) -> Path:
    """What the distributions are made of: what a build leaves behind would be found by the next."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(ROOT / name, folder / name)
    shutil.copytree(
        ROOT / LIBRARY,
        folder / LIBRARY,
        ignore=shutil.ignore_patterns("__pycache__"),
        copy_function=shutil.copyfile,
    )
    return folder


def normalize_sdist(sdist: Path, time: int) -> None:
    """The archive anew, without what differs from build to build: times, owners, order."""
    with tarfile.open(sdist) as archive:
        members = sorted(archive.getmembers(), key=lambda member: member.name)
        contents = {
            member.name: file.read() for member in members if (file := archive.extractfile(member))
        }
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in members:
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.mtime = member.type, time
            plain.mode = 0o755 if member.isdir() else 0o644
            content = contents.get(member.name, b"")
            plain.size = len(content)
            archive.addfile(plain, io.BytesIO(content))
    sdist.write_bytes(gzip.compress(written.getvalue(), mtime=time))


def unpack_sdist(sdist: Path, folder: Path) -> Path:
    """The one folder that an sdist has."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source
