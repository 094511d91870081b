"""Metrics of what functions do, written at once into their logs, where CloudWatch finds them."""

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit


def count(counts: Mapping[str, int], **also_by: str) -> None:
    """Write what there was of each; with `also_by`, by these dimensions as well.

    What there was nothing of is not written: a metric is paid for every hour that has a value of
    it, and alarms take none for zero.
    """
    found = {name: number for name, number in counts.items() if number}
    if not found:
        return
    made = EphemeralMetrics()
    for name, number in found.items():
        made.add_metric(name, MetricUnit.Count, number)
    if also_by:
        # A set of its own: counted by it as well as for the whole service.
        made.add_dimensions(**also_by)
    made.flush_metrics()
