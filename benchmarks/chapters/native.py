"""Whole things over awscrt, AWS's native HTTP, TLS and signatures, beside the wire client's own.

`benchmarks/native` has the names and methods of the two modules that it replaces in a copy of the
library. Retries, JSON and errors are the same on both sides.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode
from py_compile import compile as compile_file
from tempfile import TemporaryDirectory

from benchmarks.assembly import Function, synthesized
from benchmarks.chapter import Chapter, ratio, table
from benchmarks.chapters import peers, starts, warm
from benchmarks.chapters.bundle import size_of
from benchmarks.counting import UNIT, counts
from benchmarks.servers.canned import canned
from benchmarks.servers.certificates import authorities, certificate, of_botocore
from toolchain.paths import ROOT

SIDE = "awscrt"
_SOURCES = ROOT / "benchmarks" / "native"
_WHERE = "import os, awscrt; print(os.path.dirname(os.path.dirname(awscrt.__file__)))"
_SAYS = f"""\
The sales function with awscrt, AWS's native HTTP, TLS and signatures, in place of the connections \
and signatures of the wire client; 1 is the function as it is. Retries, JSON and errors are the \
same on both sides. Requests are those of the chapter before and the start is that of the chapter \
on starts, in {UNIT.lower()}."""


def run() -> Chapter:
    package = _package()
    if package is None:
        return Chapter(_SAYS + " Not measured: awscrt cannot be installed.", ())
    with TemporaryDirectory() as made, synthesized() as functions:
        folder = Path(made)
        sales = next(one for one in functions if one.module == starts.SALES)
        native = folder / "bundle"
        shutil.copytree(sales.bundle, native)
        _replace(native, package)
        rows = [
            *_requests(folder, package),
            ("a start with its first answer", _start(folder, sales, native)),
            ("megabytes of the bundle", size_of(native)[1] / size_of(sales.bundle)[1]),
        ]
    head = ("1 is the wire client's own", SIDE)
    return Chapter(_SAYS, (table(*head, rows=((name, ratio(value)) for name, value in rows)),))


def _package() -> Path | None:
    """The folder that has awscrt."""
    python = peers.python(SIDE)
    if python is None:
        return None
    said = subprocess.run((python, "-c", _WHERE), capture_output=True, text=True, check=True)
    return Path(said.stdout.strip())


def _replace(code: Path, package: Path) -> None:
    """Put awscrt into a folder of code, with bytecode as a bundle has it."""
    wire = code / "tablewright" / "runtime" / "wire"
    for name in ("connection.py", "signing.py"):
        for old in (wire / "__pycache__").glob(f"{name.removesuffix('.py')}.*"):
            old.unlink()
        shutil.copy(_SOURCES / name, wire / name)
    shutil.copytree(
        package / "awscrt", code / "awscrt", ignore=shutil.ignore_patterns("__pycache__")
    )
    for library in package.glob("_awscrt*"):
        shutil.copy(library, code)
    for file in (wire / "connection.py", wire / "signing.py", *(code / "awscrt").rglob("*.py")):
        compile_file(str(file), invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)


def _requests(folder: Path, package: Path) -> Iterator[tuple[str, float]]:
    code = folder / "code"
    shutil.copytree(ROOT / "tablewright", code / "tablewright")
    _replace(code, package)
    with warm.sales_environment() as env:
        native = {**env, "PYTHONPATH": f"{code}{os.pathsep}{env['PYTHONPATH']}"}
        ours, own = (counts(warm.COMMAND, warm.TIMES, each) for each in (native, env))
    for name, cost, base in zip(warm.REQUESTS, ours, own, strict=True):
        yield name, cost / base


def _start(folder: Path, sales: Function, native: Path) -> float:
    certified = certificate(folder)
    _, own = starts.case_of(sales)
    with canned(certified) as url:
        tls = starts.Tls(url, str(authorities(folder, certified, of_botocore())))
        empty, base, ours = (
            starts.work(case, tls)
            for case in (
                starts.Case(sales.bundle, starts.EMPTY, {}),
                own,
                own._replace(where=native),
            )
        )
    return (ours - empty) / (base - empty)
