"""`python3 -m toolchain [audit|site|release|runtime]`: the set-up.

Silent when there is nothing to do.
"""

import sys

from tablewright.testing.engine.tools import ToolError
from toolchain.install import audit_steps, packaging_steps, runtime_steps, site_steps, steps
from toolchain.steps import run_all

FURTHER = {
    "audit": audit_steps,
    "site": site_steps,
    "release": packaging_steps,
    "runtime": runtime_steps,
}


def main(arguments: list[str]) -> int:
    try:
        further = [step for name in arguments for step in FURTHER[name]()]
        return 0 if run_all([*steps(), *further]) else 1
    except FileNotFoundError as missing:
        print(f"{missing.filename} is not there. Take it from version control again.")
        return 1
    except ToolError as error:
        print(error)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run make setup again: it continues from here.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
