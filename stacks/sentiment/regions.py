"""Regions of the sentiment system: tables that they share, made at home and adopted elsewhere."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypedDict

from aws_cdk import Annotations, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.sentiment.contract import (
    SYSTEM,
    items_table_name,
    news_table_name,
    switch_table_name,
)
from stacks.shared.deploy_time_function import deploy_time_function
from stacks.shared.replica_alarms import ReplicaAlarms
from stacks.shared.stage import Stage
from stacks.shared.table_key import TableKey
from tablewright.constructs import DesignTable, DesignTableBase, PythonFunction, ReplicaStream
from tablewright.model import Table
from tablewright.model.regions import RegionSwitch


class Told(TypedDict):
    """What functions are told of the regions; see `RegionsEnvironment`."""

    regions: str | None
    switch_table: str | None


class SystemRegions:
    """The regions of the system, as the stack in one of them sees them.

    Rights exist beforehand in every region: what takes in may write every replica, so that moving
    from one region to another is an item of the switch and no deployment.

    Example::

        regions = SystemRegions(self, stage=stage, region="us-west-2")
        items = regions.table(self, "Items", SentimentItemsTable, Items, "prod-items",
                              part="items", tags={})
    """

    def __init__(
        self,
        stack: Stack,
        *,
        stage: Stage,
        region: str | None,
        key: TableKey | None = None,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        self._stack = stack
        self._key = key
        self._stage = stage
        self._topic = alarm_topic
        self.is_home = region is None
        self._warn()
        # Without another region there is nothing to switch to.
        self.switch: DesignTableBase | None = None
        if standby_regions(stage):
            name = switch_table_name(stage.name)
            tags = {"Environment": stage.name}
            make = partial(DesignTable, design=RegionSwitch)
            self.switch = self.table(
                stack, "Switch", make, RegionSwitch, name, part="switch", tags=tags
            )

    @property
    def environment(self) -> Told:
        if self.switch is None:
            return {"regions": None, "switch_table": None}
        names = (self.home, *standby_regions(self._stage))
        return {"regions": ",".join(names), "switch_table": self.switch.table_name}

    def let_ask(self, grantee: iam.IGrantable) -> None:
        """Allow to ask which region is active, wherever that can be asked."""
        if self.switch:
            self.switch.grant(grantee, RegionSwitch.active_region, keys=[SYSTEM], replicas=True)

    def table(
        self,
        scope: Construct,
        id: str,
        make: Callable[..., DesignTable],
        design: type[Table],
        name: str,
        *,
        part: str,
        tags: Mapping[str, str],
    ) -> DesignTableBase:
        """A table that all regions share; `make` makes it at home."""
        stage = self._stage
        if self.is_home:
            options = stage.table_options(
                scope,
                name,
                system=SYSTEM,
                part=part,
                tags=tags,
                key=self._key,
                alarm_topic=self._topic,
            )
            return make(scope, id, **options)
        regions = (self.home, *stage.replicas.of(SYSTEM, name))
        others = [region for region in regions if region != self._stack.region]
        key = self._key
        table = DesignTable.from_table_attributes(
            scope,
            id,
            design=design,
            table_name=name,
            table_stream_arn=self._stream(name) if design.__design__.stream else None,
            replicas=others,
            encryption_key=key.key if key else None,
            replica_key_arns=key.arns(scope, others) if key else None,
        )
        ReplicaAlarms(table, "Replica", stage=stage, table=table, topic=self._topic)
        return table

    def _warn(self) -> None:
        """Say what a precious stage lacks because its region is not known."""
        stage = self._stage
        if stage.protection.deletion_protection and stage.environment.region is None:
            Annotations.of(self._stack).add_warning_v2(
                "tablewright:replicas",
                f"items of {stage.name} are in one region only: set region in "
                f"stages/{stage.name}.toml, without which no replica can be placed",
            )

    @property
    def home(self) -> str:
        """The region in which the system makes its tables."""
        return str(self._stage.environment.region)

    def _stream(self, name: str) -> str:
        describe = self.asking("DescribeStream", ReplicaStream.HANDLER)
        return ReplicaStream(
            self._stack, "Stream", table_name=name, function=describe.function
        ).stream_arn

    def asking(self, id: str, handler: str) -> PythonFunction:
        """A function of the library that asks AWS for something while the stack is deployed."""
        return deploy_time_function(
            self._stack, id, handler, stage=self._stage, alarm_topic=self._topic
        )


def standby_regions(stage: Stage) -> tuple[str, ...]:
    """The other regions that the system runs from: those in which all of its tables are."""
    if not stage.sentiment.standby:
        return ()
    of = stage.replicas.of
    names = (items_table_name, news_table_name, switch_table_name)
    tables = [of(SYSTEM, name(stage.name)) for name in names]
    return tuple(region for region in tables[0] if all(region in table for table in tables))
