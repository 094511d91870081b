"""Alarm level: how closely an application is watched, which is paid for by the metric."""

from enum import StrEnum

from constructs import Construct, IConstruct

_CONTEXT = "tablewright:alarms"


class AlarmLevel(StrEnum):
    """Alarms of the constructs in a scope: none, the essential ones, or all.

    Essential alarms report lost or set-aside data, a backlog, and errors that callers see. The
    others report causes and early signs. Without a level, throw-away tables have no alarms and
    every other construct has all of them.

    Example::

        stack = Stack(app, "Dev")
        AlarmLevel.NONE.apply_to(stack)
        SalesTable(stack, "Sales")
    """

    NONE = "none"
    ESSENTIAL = "essential"
    ALL = "all"

    @classmethod
    def of(cls, scope: IConstruct, *, default: "AlarmLevel | None" = None) -> "AlarmLevel":
        """The level of a scope, or the default (all) if the scope has none."""
        return cls(scope.node.try_get_context(_CONTEXT) or default or cls.ALL)

    def apply_to(self, scope: Construct) -> None:
        """Set the level of everything that is added to a scope. The scope must be empty."""
        scope.node.set_context(_CONTEXT, self.value)

    def includes(self, *, essential: bool) -> bool:
        """Whether an alarm is made that is essential, or that is not."""
        return self is AlarmLevel.ALL or (essential and self is AlarmLevel.ESSENTIAL)
