"""Programs of the machine: what they say, and a Java that is new enough."""

import re
import subprocess
from pathlib import Path

OLDEST_JAVA = 17

_ANSWER_SECONDS = 30


def answer(*command: str | Path) -> str:
    """What a command says, or nothing when it fails."""
    try:
        ended = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout if ended.returncode == 0 else ""


def java_of(command: str | Path) -> Path | None:
    """The Java behind a command, which may be a version manager's; None for one that is too old."""
    said = answer(command, "-XshowSettings:properties", "-version")
    version = re.search(r"java\.specification\.version = (\d+)", said)
    home = re.search(r"java\.home = (.+)", said)
    if version is None or home is None or int(version[1]) < OLDEST_JAVA:
        return None
    # Java looks for its libraries beside the name that it was started by.
    return Path(home[1].strip()) / "bin" / "java"
