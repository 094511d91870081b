"""Region switch: which region of a system is active, in a small table that every region has.

The table has replicas, so that a surviving region can read and change it, and a region that comes
back learns by replication that it is no longer the active one. A parameter in each region would
have to be written in the region that is down.
"""

from __future__ import annotations

from tablewright.model.declaration import Entity, Table
from tablewright.model.entity import Key
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import Text, TimestampText, Whole
from tablewright.model.patterns import Get, Put, Update


class ActiveRegion(
    Entity,
    key=Key("{system}"),
    example={
        "system": "sentiment",
        "region": "us-west-2",
        "version": 3,
        "since": "2026-11-17T09:30:00.000Z",
        "by": "sam",
    },
):
    """The region of a system that takes in, since when, and by whom it was chosen. Who changes it
    names the version that was seen."""

    system: Field[str] = Text(max_length=64)
    region: Field[str] = Text(pattern=r"[a-z]{2}(-[a-z]+)+-\d", form="a region such as us-west-2")
    version: Field[int] = Whole()
    since: Field[str] = TimestampText(resolution="ms")
    by: Field[str] = Text(max_length=128)


class RegionSwitch(Table, pk="system", id="region-switch"):
    """Which region of each system is active. A system that is not in it is active at home."""

    active_region = Get(ActiveRegion, consistent=True, describes="Read which region is active.")
    first_move = Put(ActiveRegion, create=True, describes="Choose a region for the first time.")
    move = Update(ActiveRegion, describes="Choose another region.")
