"""`python3 -m toolchain`: the set-up. Silent and quick when there is nothing to do."""

import sys

from toolchain.install import steps
from toolchain.steps import run_all


def main() -> int:
    try:
        return 0 if run_all(steps()) else 1
    except FileNotFoundError as missing:
        print(f"{missing.filename} is not there. Take it from version control again.")
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run make setup again: it continues from here.")
        return 130


if __name__ == "__main__":
    sys.exit(main())
