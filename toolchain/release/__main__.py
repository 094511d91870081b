"""`python -m toolchain.release`: builds, checks and tries the distributions of this version.

It runs with the project's own packages; the tools that build and check have an environment apart.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tablewright import __version__
from tablewright.testing.dynamodb_local import HOME, DynamoDbLocal, home
from tablewright.testing.engine.tools import Shell, ToolError
from toolchain import paths, pythons
from toolchain.paths import BUILD, PACKAGING, ROOT
from toolchain.release import building, contents, examples, licences
from toolchain.release.notes import UNRELEASED, notes
from toolchain.steps import Step, run_all

RELEASE = BUILD / "release"
WORK = BUILD / "release-work"
WHEEL = RELEASE / f"tablewright-{__version__}-py3-none-any.whl"
SDIST = RELEASE / f"tablewright-{__version__}.tar.gz"
NOTES = RELEASE / "NOTES.md"
TOOLS = PACKAGING / "bin"
_INDEX_ADVICE = "Check that uv reaches its package index, then run make release again."


def main() -> int:
    for folder in (RELEASE, WORK):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    found = {version: pythons.find(version) for version in contents.supported_pythons()}
    for version, python in found.items():
        print(f"Python {version}: {python or 'not on this machine, so it is not tried'}")
    if not run_all([*_distributions(), *_tried(found)]):
        return 1
    shutil.rmtree(WORK)
    for file in (WHEEL, SDIST, NOTES):
        print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(ROOT)}")
    for said in _open_ends():
        print(said)
    return 0


def _step(name: str, title: str, action: Callable[[Shell], None], advice: str) -> Step:
    # Stamped where everything is removed first: each is done in every release.
    return Step(f"release-{name}", title, "", [], action, advice, stamps=WORK / "done")


def _distributions() -> Iterator[Step]:
    yield _step("notes", "Release notes", _write_notes, "The notes are taken from CHANGELOG.md.")
    yield _step("licences", "Licences", lambda _: licences.check(), "Mend the page by hand.")
    yield _step("build", "Sdist and wheel, built twice", _build, "Mend it in pyproject.toml.")
    yield _step("check", "Metadata and contents", _check, "Mend it in pyproject.toml.")


def _tried(found: dict[str, Path | None]) -> Iterator[Step]:
    for version, python in found.items():
        if python is not None:
            yield _step(
                f"extras-{version}",
                f"Python {version}: the wheel with each extra",
                partial(_try_extras, python),
                _INDEX_ADVICE,
            )
            yield _step(
                f"examples-{version}",
                f"Python {version}: examples of README, guide and examples/",
                partial(_try_examples, python),
                "The program that failed is named above, in the full output.",
            )


def _write_notes(shell: Shell) -> None:
    NOTES.write_text(notes((ROOT / "CHANGELOG.md").read_text(), __version__).text)


def _build(shell: Shell) -> None:
    """Twice from the project, and the wheel once more from the sdist: all the same bytes."""
    first, second = (_built(shell, WORK / name) for name in ("first", "second"))
    unpacked = building.unpack_sdist(first / SDIST.name, WORK / "unpacked")
    _run_build(shell, "--wheel", unpacked, WORK / "from-sdist")
    for file, other in (
        (WHEEL, second / WHEEL.name),
        (SDIST, second / SDIST.name),
        (WHEEL, WORK / "from-sdist" / WHEEL.name),
    ):
        shutil.copy(first / file.name, file)
        if file.read_bytes() != other.read_bytes():
            raise ToolError(f"{file.name} and {other.relative_to(ROOT)} have different bytes.")


def _built(shell: Shell, folder: Path) -> Path:
    source = building.copy_source(folder / "source")
    _run_build(shell, "--sdist", source, folder)
    building.normalize_sdist(folder / SDIST.name, int(building.epoch()))
    # From a copy of its own: what the sdist left behind is no part of the project.
    _run_build(shell, "--wheel", building.copy_source(folder / "again"), folder)
    return folder


def _run_build(shell: Shell, kind: str, source: Path, folder: Path) -> None:
    command = (TOOLS / "pyproject-build", "--no-isolation", kind, "--outdir", folder, source)
    shell.run(*command, env={**os.environ, building.EPOCH: building.epoch()})


def _check(shell: Shell) -> None:
    shell.run(TOOLS / "twine", "check", "--strict", SDIST, WHEEL)
    contents.check(WHEEL)


def _environment(shell: Shell, python: Path, *extras: str) -> Path:
    """The Python of an empty environment with the wheel and these extras."""
    folder = WORK / "environment"
    shutil.rmtree(folder, ignore_errors=True)
    own = folder / "bin" / "python"
    shell.run(TOOLS / "uv", "venv", "--quiet", "--no-config", "--python", python, folder)
    wanted = f"{WHEEL}[{','.join(extras)}]" if any(extras) else str(WHEEL)
    shell.run(TOOLS / "uv", "pip", "install", "--quiet", "--python", own, wanted)
    return own


def _run_program(shell: Shell, python: Path, code: str, **variables: str) -> None:
    environment = {**paths.environment(), "VIRTUAL_ENV": "", **variables}
    # In a folder of its own, as the chapters' programs write files.
    with TemporaryDirectory(dir=WORK) as folder:
        program = Path(folder) / "program.py"
        program.write_text(code)
        shell.run(python, "-I", program, env=environment, folder=program.parent)


def _try_extras(python: Path, shell: Shell) -> None:
    if unknown := {*contents.extras()} ^ {one for one in examples.IMPORTED if one}:
        raise ToolError(f"What is imported with {', '.join(sorted(unknown))} is not said.")
    for extra in examples.IMPORTED:
        _run_program(shell, _environment(shell, python, extra), examples.imports(extra))


def _try_examples(python: Path, shell: Shell) -> None:
    constructs = _environment(shell, python, "constructs")
    apps = [app.read_text() for app in sorted((ROOT / "examples").glob("*.py"))]
    for code in (*map(examples.stacks, examples.STACKS), *apps):
        _run_program(shell, constructs, code)
    with DynamoDbLocal() as engine:
        for extras in (("runtime",), ("testing", "secrets")):
            own = _environment(shell, python, *extras)
            for page in examples.CALLS:
                if examples.extras_of_calls(page) == extras:
                    _run_program(shell, own, examples.calls(page), **_database(engine))


def _database(engine: DynamoDbLocal) -> dict[str, str]:
    """Variables by which a program finds an empty database."""
    credentials = engine.credentials()
    return {
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ENDPOINT_URL_DYNAMODB": engine.endpoint,
        "AWS_ACCESS_KEY_ID": credentials["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": credentials["aws_secret_access_key"],
        HOME: str(home()),
    }


def _open_ends() -> Iterator[str]:
    """What is still to be done before this is released."""
    if notes((ROOT / "CHANGELOG.md").read_text(), __version__).date == UNRELEASED:
        yield f"CHANGELOG.md calls {__version__} unreleased: give it the date of the release."
    changed = subprocess.run(
        ("git", "status", "--porcelain"), cwd=ROOT, capture_output=True, text=True
    )
    if changed.stdout.strip():
        yield "There are changes that are not committed: they are in the distributions."


if __name__ == "__main__":
    sys.exit(main())
