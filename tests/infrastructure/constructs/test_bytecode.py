"""A bundle has bytecode for its runtime's Python, the same bytes on every machine."""

import hashlib
import subprocess
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest

from tablewright.constructs import Platform
from tablewright.constructs.functions import bytecode
from tablewright.constructs.functions.bundling import PythonCode, Source
from tablewright.constructs.functions.dependencies import BundlingError

# Node loads a compiler.
pytestmark = pytest.mark.thorough

OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
SOURCE = '"""Module."""\n\nNUMBER = 6 * 7\n\n\ndef twice(text: str) -> str:\n    return text * 2\n'
# Of Python 3.13, and "hash-based, unchecked": the source is never looked at.
MAGIC_OF_3_13 = bytes.fromhex("f30d0d0a")
UNCHECKED = (1).to_bytes(4, "little")


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PythonCode:
    """Of a folder with one module and a file that is no Python; nothing is in the cache."""
    monkeypatch.setenv("TABLEWRIGHT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "module.py").write_text(SOURCE)
    (folder / "template.py").write_text("print {{ this }}\n")
    return PythonCode(sources=[Source(folder, "app")])


def bundled(code: PythonCode, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    code.write(folder)
    found = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*")}
    return {name: file.read_bytes() for name, file in found.items() if file.is_file()}


def test_bytecode_is_of_the_runtimes_python_and_the_same_everywhere(
    code: PythonCode, tmp_path: Path
) -> None:
    made = bundled(code, tmp_path / "out")
    compiled = made.pop("app/__pycache__/module.cpython-313.pyc")
    # A template is left as it is.
    assert made == {"app/module.py": SOURCE.encode(), "app/template.py": b"print {{ this }}\n"}
    assert compiled[:4] == MAGIC_OF_3_13
    assert compiled[4:8] == UNCHECKED
    assert b"/var/task/app/module.py" in compiled
    assert hashlib.sha256(compiled).hexdigest()[:16] == "79432ed878820e39"


def test_what_was_compiled_once_is_not_compiled_again(
    code: PythonCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bundled(code, tmp_path / "first")
    monkeypatch.setattr(bytecode, "_run", lambda *_: pytest.fail("compiled"))
    assert bundled(code, tmp_path / "second") == first


def test_bytecode_of_this_machines_python_runs(code: PythonCode, tmp_path: Path) -> None:
    if OWN in bytecode._PYODIDE:
        pytest.skip("it has a compiler of its own")
    own = PythonCode(sources=code.sources, platform=Platform.host())
    folder = tmp_path / "out"
    made = bundled(own, folder)
    name = cache_from_source("app/module.py")
    assert made[name][:8] == MAGIC_NUMBER + UNCHECKED
    # The source is not read: what it says now does not count.
    (folder / "app" / "module.py").write_text("NUMBER = 0")
    ask = [sys.executable, "-c", "from app.module import NUMBER; print(NUMBER)"]
    assert subprocess.run(ask, cwd=folder, capture_output=True, check=True).stdout == b"42\n"


def test_a_python_without_a_compiler_is_told_with_what_to_do(
    code: PythonCode, tmp_path: Path
) -> None:
    other = PythonCode(sources=code.sources, platform=Platform(python="3.99"))
    with pytest.raises(BundlingError, match=r"3\.99: choose one of 3\.13, .* bytecode=False"):
        bundled(other, tmp_path / "out")
    without = PythonCode(sources=code.sources, platform=Platform(python="3.99"), bytecode=False)
    assert set(bundled(without, tmp_path / "plain")) == {"app/module.py", "app/template.py"}
    assert without.hash() != other.hash()


def test_a_machine_without_npm_is_told_what_is_missing(
    code: PythonCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BundlingError, match="npm could not install pyodide"):
        bundled(code, tmp_path / "out")
