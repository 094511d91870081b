"""Run the mutations: break a claimed behavior, and expect the test that its row names to fail.

    python -m tests.mutations [SYSTEM ...]

Each mutation is tried in a copy of the checkout; the exit code is 1 if one is not noticed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutations.ledger import ROOT, Mutation, load_mutations

TIMEOUT_SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("systems", nargs="*", help="sales, sentiment, …; all if none is given")
    systems = parser.parse_args().systems
    mutations = [m for m in load_mutations() if not systems or m.system in systems]
    missed = 0
    with _copied_checkout() as checkout:
        for mutation in mutations:
            noticed = _is_noticed(checkout, mutation)
            missed += not noticed
            print(f"{'noticed' if noticed else 'MISSED ':8} {mutation.title}", flush=True)
    print(f"{len(mutations) - missed} of {len(mutations)} mutations noticed")
    return 1 if missed else 0


def _is_noticed(checkout: Path, mutation: Mutation) -> bool:
    """True if the tests of the row pass without the mutation and fail with it."""
    if not _passes(checkout, mutation.tests):
        raise SystemExit(f"{mutation.title}: its tests fail without the mutation")
    source = checkout / mutation.file
    original = source.read_text()
    source.write_text(original.replace(mutation.old, mutation.new))
    try:
        return not _passes(checkout, mutation.tests)
    finally:
        source.write_text(original)


def _passes(checkout: Path, tests: tuple[str, ...]) -> bool:
    command = [str(ROOT / ".venv" / "bin" / "python"), "-m", "pytest", "-q", "-x", *tests]
    # Bytecode is not written: a mutation of the same size within a second would not be seen.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=checkout, env=env, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"pytest ended with {done.returncode}: {done.stdout.decode()[-2000:]}")
    return done.returncode == 0


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
