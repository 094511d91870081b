"""The parts of `make release` that decide something."""

import io
import sys
import tarfile
from pathlib import Path

import pytest

from tablewright import __version__
from tablewright.testing.engine.tools import ToolError
from toolchain import pythons
from toolchain.install import LAMBDA_REQUIREMENTS
from toolchain.paths import ROOT
from toolchain.release import building, contents, licences
from toolchain.release.notes import Notes, notes

pytestmark = pytest.mark.thorough

CHANGELOG = """# Changelog

## 0.2.0 (2026-12-01)

- More.

## 0.1.0 (2026-11-20)

- All.
"""


def test_the_notes_are_the_section_of_the_version() -> None:
    assert notes(CHANGELOG, "0.2.0") == Notes("2026-12-01", "- More.\n")


@pytest.mark.parametrize(
    ("changelog", "told"),
    [
        (CHANGELOG.replace("0.2.0", "0.3.0"), "is that of 0.3.0; this is version 0.2.0"),
        ("# Changelog\n", "is none"),
        (CHANGELOG.replace("2026-12-01", "soon"), r"\(soon\) is no date"),
        (CHANGELOG.replace("- More.", ""), "says nothing about 0.2.0"),
    ],
)
def test_a_changelog_without_the_version_is_refused(changelog: str, told: str) -> None:
    with pytest.raises(ToolError, match=told):
        notes(changelog, "0.2.0")


def test_the_changelog_begins_with_this_version() -> None:
    assert notes((ROOT / "CHANGELOG.md").read_text(), __version__).text


def test_every_bundled_package_has_its_licence_on_the_page() -> None:
    licences.check()


def test_a_package_without_a_licence_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("unheard-of==1.0 \\\n    --hash=sha256:00\n")
    with pytest.raises(ToolError, match="does not say the licence of unheard-of"):
        licences.check([*LAMBDA_REQUIREMENTS, lock])


def test_the_python_that_runs_is_found() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert version in contents.supported_pythons()
    assert pythons.find(version) is not None


def test_a_python_that_is_not_there_is_not_found() -> None:
    assert pythons.find("3.99") is None


def archive(place: Path, names: list[str], time: int) -> Path:
    with tarfile.open(place, "w:gz") as made:
        for name in names:
            member = tarfile.TarInfo(name)
            member.mtime, member.uid, member.size = time, time, len(name)
            made.addfile(member, io.BytesIO(name.encode()))
    return place


def test_sdists_of_the_same_files_have_the_same_bytes(tmp_path: Path) -> None:
    one = archive(tmp_path / "one.tar.gz", ["a/b", "a/c"], 1)
    other = archive(tmp_path / "other.tar.gz", ["a/c", "a/b"], 2)
    for sdist in (one, other):
        building.normalize_sdist(sdist, 1_700_000_000)
    assert one.read_bytes() == other.read_bytes()
    source = building.unpack_sdist(one, tmp_path / "unpacked")
    assert (source / "c").read_text() == "a/c"
