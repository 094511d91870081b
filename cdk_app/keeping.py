"""Settings of what is kept: how long items stay in their table, and whether archives are made."""

import re

from cdk_app.asking import checked

# Longer than the dashboard shows them, with its counts.
_DAYS = re.compile(r"none|[1-9]\d{1,3}")
_SWITCH = re.compile(r"on|off")


def item_days(text: str | None, default: int) -> int | None:
    """So many days items of the sentiment system are kept in their table; None for good."""
    days = checked(_DAYS, "TABLEWRIGHT_ITEM_DAYS", text, "30 (days, at least 10) or none")
    if days is None:
        return default
    return int(days) if days.isdigit() else None


def archived(text: str | None, default: bool) -> bool:
    """Whether what expires, and the portal's events, are archived."""
    asked = checked(_SWITCH, "TABLEWRIGHT_ARCHIVE", text, "on or off")
    return asked == "on" if asked else default
