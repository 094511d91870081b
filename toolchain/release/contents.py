"""Contents of a wheel: the library, its data, its metadata, and nothing else."""

import tomllib
import zipfile
from pathlib import Path

from tablewright.testing.engine.tools import ToolError
from toolchain.paths import ROOT
from toolchain.release.building import LIBRARY

# What locks are made from.
LEFT_OUT = (".in",)
METADATA = (
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE",
    "top_level.txt",
)


def check(wheel: Path) -> None:
    """Raises ToolError for a wheel that has too much or too little."""
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
    name, version, *_ = wheel.name.split("-")
    wanted = {*_library(), *(f"{name}-{version}.dist-info/{one}" for one in METADATA)}
    if strange := sorted(found - wanted):
        raise ToolError(f"The wheel has what is not of the library: {', '.join(strange)}.")
    if missing := sorted(wanted - found):
        raise ToolError(
            f"The wheel lacks {', '.join(missing)}. Name it in [tool.setuptools.package-data] of "
            "pyproject.toml."
        )


def _library() -> set[str]:
    files = (file for file in (ROOT / LIBRARY).rglob("*") if file.is_file())
    return {
        str(file.relative_to(ROOT))
        for file in files
        if file.suffix not in LEFT_OUT and "__pycache__" not in file.parts
    }


def supported_pythons() -> list[str]:
    """The versions of Python that the project names, such as 3.11."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = (one.rpartition(":: ")[2] for one in project["classifiers"] if ":: Python ::" in one)
    return [version for version in told if "." in version]


def extras() -> list[str]:
    """The extras that the project names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return list(project["optional-dependencies"])
