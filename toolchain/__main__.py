"""`python3 -m toolchain [audit]`: the set-up. Silent and quick when there is nothing to do."""

import sys

from toolchain.install import audit_steps, steps
from toolchain.steps import run_all


def main(arguments: list[str]) -> int:
    try:
        wanted = [*steps(), *(audit_steps() if "audit" in arguments else ())]
        return 0 if run_all(wanted) else 1
    except FileNotFoundError as missing:
        print(f"{missing.filename} is not there. Take it from version control again.")
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run make setup again: it continues from here.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
