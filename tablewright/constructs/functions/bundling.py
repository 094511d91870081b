"""Lambda code without Docker: locked dependencies and source packages, put together by pip.

``python -m tablewright.constructs.functions.bundling lambdas/requirements.txt`` fills the cache of
dependencies, so that a later synthesis needs no network.
"""

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_

import tablewright
from tablewright.constructs.functions.bytecode import add_bytecode
from tablewright.constructs.functions.dependencies import (
    LAMBDA,
    BundlingError,
    Platform,
    dependencies,
    main,
)

_LIBRARY = Path(tablewright.__file__).parent
# Changes when the same sources and lock file would be put together differently.
_LAYOUT = "5"
_LEFT_OUT = ("__pycache__", "*.pyc", "*.pyi", "tests", "RECORD", "INSTALLER", "REQUESTED", "bin")


@dataclass(frozen=True)
class Source:
    """A file or folder, and where it goes in the bundle; `without` files of these names."""

    path: Path
    target: str
    without: Sequence[str] = ()

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every file with its path in the bundle."""
        if not self.path.exists():
            raise BundlingError(f"there is no source {self.path}")
        if self.path.is_file():
            yield self.target, self.path
            return
        unwanted = {"__pycache__", "tests", *self.without}
        for path in sorted(self.path.rglob("*")):
            inside = path.relative_to(self.path)
            if path.is_file() and path.suffix != ".pyc" and unwanted.isdisjoint(inside.parts):
                yield f"{self.target}/{inside.as_posix()}", path


LIBRARY_SOURCES = (
    Source(_LIBRARY / "__init__.py", "tablewright/__init__.py"),
    Source(_LIBRARY / "exports.py", "tablewright/exports.py"),
    Source(_LIBRARY / "model", "tablewright/model"),
    Source(_LIBRARY / "runtime", "tablewright/runtime"),
    Source(
        _LIBRARY / "catalog",
        "tablewright/catalog",
        without=("constructs.py", "shard_spread.py", "spread_picture.py"),
    ),
)
"""The part of this library that Lambda functions import, for `PythonCode`."""


@dataclass(frozen=True, kw_only=True)
class PythonCode:
    """What a function's bundle is made of.

    `services` are the AWS services whose models are kept of botocore; all others are most of its
    size. Without `requirements` there is nothing but the sources. `texts` are files that the app
    computes, by their path in the bundle. `bytecode` is put beside every module, so that a cold
    start compiles none. The hash follows from the sources, the lock file and these options, so that
    unchanged code is the same asset on every machine.

    Example::

        PythonCode(sources=(Source(Path("app"), "app"), *LIBRARY_SOURCES),
                   requirements=Path("requirements.txt"), services=("dynamodb",))
    """

    sources: Sequence[Source]
    requirements: Path | None = None
    services: Sequence[str] = ()
    platform: Platform = LAMBDA
    bytecode: bool = True
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def architecture(self) -> lambda_.Architecture:
        """The architecture that the code is bundled for."""
        arm = self.platform.machine == "aarch64"
        return lambda_.Architecture.ARM_64 if arm else lambda_.Architecture.X86_64

    @property
    def runtime(self) -> lambda_.Runtime:
        """The Python that the code is bundled for."""
        return lambda_.Runtime(f"python{self.platform.python}", lambda_.RuntimeFamily.PYTHON)

    def hash(self) -> str:
        """A text that changes with whatever goes into the bundle."""
        options = [_LAYOUT, str(self.bytecode), *self.platform.pip_options, *sorted(self.services)]
        digest = hashlib.sha256("\n".join(options).encode())
        if self.requirements:
            digest.update(hashlib.sha256(self.requirements.read_bytes()).digest())
        for target, path in self._files():
            digest.update(hashlib.sha256(target.encode()).digest())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        for target, text in sorted(self.texts.items()):
            digest.update(hashlib.sha256(target.encode()).digest())
            digest.update(hashlib.sha256(text.encode()).digest())
        return digest.hexdigest()

    def write(self, output: Path) -> None:
        """Put the bundle together in a folder."""
        if self.requirements:
            self._write_dependencies(dependencies(self.requirements, self.platform), output)
        for target, path in self._files():
            (output / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, output / target)
        for target, text in self.texts.items():
            (output / target).write_text(text)
        if self.bytecode:
            add_bytecode(output, self.platform.python)

    def _write_dependencies(self, installed: Path, output: Path) -> None:
        _check_services(installed, self.services)
        models = [str(installed / "botocore" / "data"), str(installed / "boto3" / "data")]
        leftovers = shutil.ignore_patterns(*_LEFT_OUT)

        def leave_out(folder: str, names: list[str]) -> set[str]:
            if folder not in models:
                return set(leftovers(folder, names))
            # Files beside the services' folders are of none: endpoints, partitions, retry rules.
            return {n for n in names if n not in self.services and Path(folder, n).is_dir()}

        shutil.copytree(installed, output, ignore=leave_out, dirs_exist_ok=True)

    def as_asset(self) -> lambda_.Code:
        """The code as CDK takes it; it is bundled when the app is synthesized."""
        # With a hash of our own CDK reads none of the folder, so any that exists will do.
        return lambda_.Code.from_asset(
            str(_LIBRARY),
            asset_hash=self.hash(),
            asset_hash_type=AssetHashType.CUSTOM,
            bundling=BundlingOptions(image=DockerImage.from_registry("none"), local=_Local(self)),
        )

    def _files(self) -> list[tuple[str, Path]]:
        return sorted(pair for source in self.sources for pair in source.files())


@jsii.implements(ILocalBundling)
class _Local:
    def __init__(self, code: PythonCode) -> None:
        self._code = code

    def try_bundle(self, output_dir: str, *, image: DockerImage, **_: object) -> bool:
        # An error, never False: that would make CDK try Docker.
        self._code.write(Path(output_dir))
        return True


def _check_services(installed: Path, services: Sequence[str]) -> None:
    models = installed / "botocore" / "data"
    unknown = sorted(name for name in services if not (models / name).is_dir())
    if models.is_dir() and unknown:
        raise BundlingError(f"botocore has no service named {', '.join(unknown)}")


if __name__ == "__main__":
    main()
