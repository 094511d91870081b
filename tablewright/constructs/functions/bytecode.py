"""Bytecode of a bundle: Lambda cannot write any, and would compile each module at every cold start.

The same bytes are made on every machine, by CPython in WebAssembly: an npm package that runs under
the Node which CDK needs anyway. Only for other versions of Python than those that the package comes
in, the interpreter at hand is the compiler, and has to be of that version.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tablewright.constructs.functions.dependencies import BundlingError, cache_folder

# Versions of the npm package `pyodide`, by the Python that they are.
_PYODIDE = {"3.13": "0.28.3"}
_HERE = Path(__file__).parent
_SCRIPT = _HERE / "compile_folder.py"
# Where Lambda has the code: it stands in tracebacks.
_TASK = "/var/task"


def add_bytecode(bundle: Path, python: str) -> None:
    """Put bytecode for this version of Python beside every module of a bundle."""
    modules = sorted(bundle.rglob("*.py"))
    names = [f"{_TASK}/{module.relative_to(bundle).as_posix()}" for module in modules]
    kept = cache_folder() / "bytecode" / f"{python}-{_PYODIDE.get(python, 'own')}"
    made = [
        kept / hashlib.sha256(name.encode() + b"\0" + module.read_bytes()).hexdigest()
        for module, name in zip(modules, names, strict=True)
    ]
    missing = [number for number, file in enumerate(made) if not file.exists()]
    if missing:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept, prefix=".partial-") as folder:
            work = Path(folder)
            for position, number in enumerate(missing):
                shutil.copyfile(modules[number], work / f"{position}.py")
            (work / "manifest.json").write_text(json.dumps([names[n] for n in missing]))
            _run(work, python)
            for position, number in enumerate(missing):
                (work / f"{position}.pyc").rename(made[number])
    tag = f"cpython-{python.replace('.', '')}"
    for module, file in zip(modules, made, strict=True):
        if file.stat().st_size:
            target = module.parent / "__pycache__" / f"{module.stem}.{tag}.pyc"
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, target)


def prepare(python: str) -> None:
    """Fetch the compiler, so that a later bundling needs no network."""
    if python in _PYODIDE:
        _pyodide(_PYODIDE[python])


def _run(work: Path, python: str) -> None:
    if python in _PYODIDE:
        shutil.copyfile(_SCRIPT, work / "compile.py")
        pyodide = _pyodide(_PYODIDE[python])
        command = [_node(), str(_HERE / "compile.mjs"), str(pyodide), str(work)]
    elif python == f"{sys.version_info[0]}.{sys.version_info[1]}":
        command = [sys.executable, "-I", str(_SCRIPT), str(work)]
    else:
        known = ", ".join(_PYODIDE)
        raise BundlingError(
            f"there is no compiler of bytecode for Python {python}: choose one of {known}, "
            f"synthesize with Python {python}, or bundle with bytecode=False"
        )
    _checked(command, f"modules could not be compiled for Python {python}")


def _pyodide(version: str) -> Path:
    """The folder of the package: of the project, or fetched once into the cache."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        found = folder / "node_modules" / "pyodide"
        if _version(found) == version:
            return found
    home = cache_folder() / "pyodide" / version
    found = home / "node_modules" / "pyodide"
    if _version(found) != version:
        home.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm") or "npm"
        quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
        command = [npm, "install", *quiet, "--prefix", str(home), f"pyodide@{version}"]
        _checked(command, f"npm could not install pyodide {version}, which compiles bytecode")
    return found


def _version(package: Path) -> str | None:
    try:
        return str(json.loads((package / "package.json").read_text())["version"])
    except (OSError, ValueError, KeyError):
        return None


def _node() -> str:
    return os.environ.get("JSII_NODE") or shutil.which("node") or "node"


def _checked(command: Sequence[str], says: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BundlingError(f"{says}: {command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()[-12:]
        raise BundlingError(f"{says}:\n  " + "\n  ".join(lines))
