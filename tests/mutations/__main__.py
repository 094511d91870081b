"""Run the mutations: break a claimed behavior, and expect the test that its row names to fail.

    python -m tests.mutations [SYSTEM ...]

Each mutation is tried in a copy of the checkout, after all tests have passed there once. The exit
code is 1 if a mutation is not noticed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutations.ledger import ROOT, Mutation, load_mutations

TIMEOUT_SECONDS = 1200


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("systems", nargs="*", help="sales, sentiment, …; all if none is given")
    systems = parser.parse_args().systems
    mutations = [m for m in load_mutations() if not systems or m.system in systems]
    missed = 0
    with _copied_checkout() as checkout:
        tests = dict.fromkeys(test for mutation in mutations for test in mutation.tests)
        if failure := _failure(checkout, tests):
            raise SystemExit(f"the tests fail without a mutation:\n{failure}")
        for mutation in mutations:
            noticed = _is_noticed(checkout, mutation)
            missed += not noticed
            print(f"{'noticed' if noticed else 'MISSED ':8} {mutation.title}", flush=True)
    print(f"{len(mutations) - missed} of {len(mutations)} mutations noticed")
    return 1 if missed else 0


def _is_noticed(checkout: Path, mutation: Mutation) -> bool:
    """True if the tests of the row, which pass without the mutation, fail with it."""
    source = checkout / mutation.file
    original = source.read_text()
    source.write_text(original.replace(mutation.old, mutation.new))
    try:
        return bool(_failure(checkout, mutation.tests))
    finally:
        source.write_text(original)


def _failure(checkout: Path, tests: Iterable[str]) -> str:
    """The last lines of a run in which a test failed; "" if all passed."""
    command = [str(ROOT / ".venv" / "bin" / "python"), "-m", "pytest", "-q", "-x", *tests]
    # Bytecode is not written: a mutation of the same size within a second would not be seen.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=checkout, env=env, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
    )
    report = done.stdout.decode()[-2000:]
    # A file that cannot be imported ends with 2: its tests have noticed nothing.
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {done.returncode}: {report}")
    return report if done.returncode else ""


@contextmanager
def _copied_checkout() -> Iterator[Path]:
    """Copy the files of the checkout; share its tools."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "checkout"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target / name)
        for tools in (".venv", ".build", "node_modules"):
            (target / tools).symlink_to(ROOT / tools)
        yield target


if __name__ == "__main__":
    sys.exit(main())
