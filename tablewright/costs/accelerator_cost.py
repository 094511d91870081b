"""Break-even of an accelerator: from how many reads on a DAX cluster costs less than it saves."""

from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.prices import HOURS_PER_MONTH, Prices

SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600


class AcceleratorSize(NamedTuple):
    """Nodes of a cluster, and interface endpoints of its network: one for a service and zone."""

    node_type: str = "dax.t3.small"
    nodes: int = 3
    endpoints: int = 2

    def monthly(self, prices: Prices) -> Decimal:
        """Dollars a month, whatever is read."""
        hour = self.nodes * prices.dax_node_hour[self.node_type]
        return HOURS_PER_MONTH * (hour + self.endpoints * prices.network.endpoint_hour)


def break_even(size: AcceleratorSize, prices: Prices, hit_rate: Decimal) -> Decimal:
    """Read units a second that cost on demand what the cluster does, if it answers this share.

    A hit costs no unit; a miss costs what it costs without a cluster.
    """
    if not 0 < hit_rate <= 1:
        raise ValueError(f"a hit rate is above 0 and at most 1, not {hit_rate}")
    saved = hit_rate * prices.dynamodb.standard.read_million / 10**6
    return size.monthly(prices) / saved / SECONDS_PER_MONTH
