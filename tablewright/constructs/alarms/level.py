"""Alarm level: how closely an application is watched, which is paid for by the metric."""

from enum import StrEnum

from constructs import Construct, IConstruct

_CONTEXT = "tablewright:alarms"


class AlarmLevel(StrEnum):
    """Which alarms are made: none, the essential ones, or all, which is the default.

    The essential ones tell that something is lost, set aside or stands still, and that callers get
    errors. The others tell why, or that it is near.

    Example::

        stack = Stack(app, "Dev")
        AlarmLevel.ESSENTIAL.apply_to(stack)
        SalesTable(stack, "Sales")
    """

    NONE = "none"
    ESSENTIAL = "essential"
    ALL = "all"

    @classmethod
    def of(cls, scope: IConstruct) -> "AlarmLevel":
        """The level of what is made in a scope."""
        return cls(scope.node.try_get_context(_CONTEXT) or cls.ALL)

    def apply_to(self, scope: Construct) -> None:
        """Let all that is made in a scope, which is empty as yet, have alarms of this level."""
        scope.node.set_context(_CONTEXT, self.value)

    def includes(self, *, essential: bool) -> bool:
        """Whether an alarm is made that is essential, or that is not."""
        return self is AlarmLevel.ALL or (essential and self is AlarmLevel.ESSENTIAL)
