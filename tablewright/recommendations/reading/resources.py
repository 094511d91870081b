"""Resources of a stage that usage is read of."""

import json
from dataclasses import asdict, dataclass

from tablewright.recommendations.json_form import from_json


@dataclass(frozen=True, kw_only=True)
class TableName:
    """A table, what settings call it, and the shards that it has by a setting."""

    name: str
    setting_name: str
    shards: int | None = None
    shards_setting: str | None = None


@dataclass(frozen=True, kw_only=True)
class StageResources:
    """What is looked at. Log groups, alarms and stacks are those whose names begin with `prefix`.

    `accelerated` is the table that an accelerator stands before, or could; `running` whether one
    does.
    """

    stage: str
    region: str
    prefix: str
    tables: tuple[TableName, ...]
    accelerated: str | None = None
    running: bool = False
    # What one would be that is not there.
    node_type: str = "dax.t3.small"
    nodes: int = 3

    def to_json(self) -> str:
        """For the environment of a function."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "StageResources":
        """As `to_json` wrote them."""
        return from_json(cls, json.loads(text), "resources")
