"""Keys that tables are encrypted with, in stages that have their own."""

from aws_cdk import aws_kms as kms
from constructs import Construct

from stacks.shared.adopted import adopted_key
from stacks.shared.deploy_time_function import deploy_time_function
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from stacks.shared.table_key import TableKey
from tablewright.constructs import AlarmLevel
from tablewright.constructs.replica_key import HANDLER, primary_key, replica_key

_DESCRIBES = "Encrypts tables."


class KeysStack(StageStack):
    """A key for each system that is to have one, which KMS rotates every year.

    Multi-Region keys: in each other `region` that a system's tables are in is a replica of its key,
    which has the same id, so that no stack asks another region for it. A table gets its replica
    there only once the key is there.

    Example::

        keys = KeysStack(app, stage=stage).keys
        SalesStack(app, stage=stage, keys=keys, identity=identity, operations=operations)
    """

    def __init__(self, scope: Construct, *, stage: Stage, region: str | None = None) -> None:
        super().__init__(scope, "keys", stage=stage, region=region)
        # A function that runs in deployments alone is watched by whoever deploys.
        AlarmLevel.NONE.apply_to(self)
        self._stage = stage
        systems = stage.customer_keys
        if region is None:
            self.keys = {system: self._primary(system) for system in systems}
            return
        there = [system for system in systems if system in stage.replicas.systems]
        ask = deploy_time_function(self, "DescribeKey", HANDLER, stage=stage)
        self.keys = {}
        for system in there:
            part = Construct(self, system.capitalize())
            if adopted := adopted_key(stage, part, self._alias(system)):
                self.keys[system] = TableKey(key=adopted, key_id=adopted.key_id)
                continue
            made = replica_key(
                part,
                alias=self._alias(system),
                home=str(stage.environment.region),
                function=ask.function,
                protection=stage.protection,
                describes=_DESCRIBES,
            )
            key = kms.Key.from_key_arn(part, "Replica", made.attr_arn)
            self.keys[system] = TableKey(key=key, key_id=made.attr_key_id)

    def _primary(self, system: str) -> TableKey:
        alias = self._alias(system)
        key = adopted_key(self._stage, self, alias) or primary_key(
            self,
            system.capitalize(),
            alias=alias,
            describes=_DESCRIBES,
            protection=self._stage.protection,
        )
        return TableKey(key=key, key_id=key.key_id)

    def _alias(self, system: str) -> str:
        return f"alias/{self._stage.stack_name(system)}-tables"
