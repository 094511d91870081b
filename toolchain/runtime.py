"""`python -m toolchain.runtime`: unit, store and HTTP tests on the Python that Lambda runs."""

import subprocess
import sys

from tablewright.constructs.functions.dependencies import LAMBDA
from toolchain import paths, pythons

# TLS too, of which this Python may be stricter.
TESTS = (
    "tests/unit",
    "tests/integration/runtime/store",
    "tests/integration/runtime/wire/test_tls.py",
)
OPTIONS = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder")


def main() -> int:
    """Run the tests; the last line that is printed says on which Pythons."""
    own = pythons.OWN
    if own == LAMBDA.python:
        print(f"Tested on Python {own}, which Lambda runs.")
        return 0
    if pythons.find_runtime() is None:
        print(
            f"Tested on Python {own} only. Lambda runs {LAMBDA.python}, which this machine lacks: "
            f"install it, or name it: make test PYTHON_RUNTIME=/path/to/python{LAMBDA.python}"
        )
        return 0
    command = (paths.runtime_python(), "-m", "pytest", *TESTS, *OPTIONS)
    failed = subprocess.run(command, cwd=paths.ROOT, env=paths.environment()).returncode
    if not failed:
        print(f"Tested on Python {own}, and unit, store and HTTP tests on {LAMBDA.python} too.")
    return failed


if __name__ == "__main__":
    sys.exit(main())
