"""The table of what users want to be told of, ready for any CDK app."""

from tablewright.constructs.table import StagedTable
from tablewright.designs.subscriptions import SUBSCRIPTIONS


class SubscriptionsTable(StagedTable):
    """Subscriptions of users, and the subscribers of a topic.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        subscriptions = SubscriptionsTable(self, "Subscriptions", stage="dev")
        subscriptions.grant(function, SUBSCRIPTIONS.subscribers)
    """

    DESIGN = SUBSCRIPTIONS
