"""The wheel, installed with each extra into an empty environment that has nothing else."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from toolchain.release.building import copy_source

Installed = Callable[..., Path]
HERE = Path(sysconfig.get_path("purelib"))
BUILD = "from setuptools.build_meta import build_wheel; print(build_wheel('dist'))"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = copy_source(tmp_path_factory.mktemp("source"))
    (source / "dist").mkdir()
    subprocess.run((sys.executable, "-c", BUILD), cwd=source, check=True, capture_output=True)
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel installs, for all environments: it is compiled once."""
    folder = tmp_path_factory.mktemp("unpacked")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder


@pytest.fixture(scope="session")
def installed(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The Python of an environment with the wheel and what these extras of it ask for."""

    @cache
    def made(*extras: str) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, symlinks=True)
        packages = next((folder / "lib").glob("python*")) / "site-packages"
        for top in unpacked.iterdir():
            (packages / top.name).symlink_to(top)
        for one in _needed(packages, extras):
            _link(one, packages)
        return folder / "bin" / "python"

    return made


def _needed(packages: Path, extras: tuple[str, ...]) -> Iterator[Distribution]:
    """What the wheel and its extras require, and what that requires in turn."""
    (found,) = Distribution.discover(name="tablewright", path=[str(packages)])
    waiting = list(_required(found, extras))
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            one = distribution(name)
            waiting += _required(one, ())
            yield one


def _required(one: Distribution, extras: tuple[str, ...]) -> Iterator[str]:
    for text in one.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if not marker or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement.name


def _link(one: Distribution, packages: Path) -> None:
    """The package is there already: it is used from where it lies, without a download."""
    tops = {file.parts[0] for file in one.files or () if not file.parts[0].startswith("..")}
    for top in tops - {"__pycache__"}:
        if not (packages / top).exists():
            (packages / top).symlink_to(HERE / top)
