"""A stack of a stage: what all of them have in common."""

from aws_cdk import Environment, Stack
from constructs import Construct

from stacks.shared.stage import Stage
from tablewright.constructs import AlarmLevel


class StageStack(Stack):
    """A stack that is named after its stage and has alarms of its level.

    In the stage's own region, unless another is named: there it has the essential alarms only,
    because it is paid for all the while and used for hours in years.

    Example::

        class SalesStack(StageStack):
            def __init__(self, scope: Construct, *, stage: Stage) -> None:
                super().__init__(scope, "sales", stage=stage)
    """

    def __init__(
        self,
        scope: Construct,
        system: str,
        *,
        stage: Stage,
        region: str | None = None,
        cross_region_references: bool | None = None,
    ) -> None:
        home = stage.environment
        super().__init__(
            scope,
            stage.stack_name(system, region),
            env=Environment(account=home.account, region=region) if region else home,
            cross_region_references=cross_region_references,
        )
        alarms = stage.alarms
        if region and alarms is AlarmLevel.ALL:
            alarms = AlarmLevel.ESSENTIAL
        alarms.apply_to(self)
