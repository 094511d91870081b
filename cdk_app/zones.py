"""Zones that a setting names: two to four of the region."""

import re

from cdk_app.asking import SettingError, listed


def zones_of(text: str | None, region: str | None) -> tuple[str, ...]:
    """The zones in a setting, each a region and a letter; none when nothing is set."""
    if text is None:
        return ()
    form = re.compile(rf"{region or '[a-z0-9-]+'}[a-z]")
    example = f"two to four zones, as in {region or 'eu-west-1'}a,{region or 'eu-west-1'}c"
    zones = listed("ZONES", text, form, example)
    if not 2 <= len(zones) <= 4:
        raise SettingError(f"TABLEWRIGHT_ZONES is '{text}': set it to {example}")
    return zones
