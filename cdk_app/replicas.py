"""Replicas that settings name: regions, and the systems whose tables are in them."""

import json
import re
from collections.abc import Callable

from cdk_app.asking import SettingError, listed
from lambdas.contract import SYSTEMS
from stacks.shared.stage import Replicas

REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
# Instead of a list: there is to be nothing, whatever the stage would have.
NONE = "none"
_SYSTEM = re.compile("|".join(SYSTEMS))


def replicas_of(
    asked: Callable[[str], str | None], default: tuple[str, ...], region: str | None
) -> Replicas:
    """The replicas of a stage in a region; without one there can be none."""
    named, systems = asked("replicas"), asked("replicated")
    regions = tuple(r for r in default if r != region) if region else ()
    return Replicas(
        regions=regions if named is None else _regions(named, region),
        systems=_systems(systems) if systems else Replicas.systems,
        on_the_way=_on_the_way(asked("replicas_on_the_way")),
    )


def _regions(text: str, region: str | None) -> tuple[str, ...]:
    if text == NONE:
        return ()
    regions = listed("REPLICAS", text, REGION, f"us-east-1,us-west-2 or {NONE}")
    if region is None:
        raise SettingError(
            "TABLEWRIGHT_REPLICAS is set, but not the region of the tables themselves: "
            "set TABLEWRIGHT_REGION too, for example to eu-west-1"
        )
    if region in regions:
        raise SettingError(
            f"TABLEWRIGHT_REPLICAS has {region}, where the tables themselves are: leave it out"
        )
    return regions


def _systems(text: str) -> tuple[str, ...]:
    return listed("REPLICATED", text, _SYSTEM, "sentiment,sales")


def _on_the_way(text: str | None) -> dict[str, tuple[str, ...]]:
    """What `make deploy` says of tables that get their replicas one update after another."""
    return {name: tuple(regions) for name, regions in json.loads(text or "{}").items()}
