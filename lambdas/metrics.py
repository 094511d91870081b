"""Metrics of functions, written at once into their logs, where CloudWatch finds them."""

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit


def count(counts: Mapping[str, int], **also_by: str) -> None:
    """Write a count of each name; with `also_by`, by these dimensions as well.

    A count of zero is not written: a metric is paid for every hour that has a value of
    it, and alarms take none for zero.
    """
    written = {name: number for name, number in counts.items() if number}
    if not written:
        return
    metrics = EphemeralMetrics()
    for name, number in written.items():
        metrics.add_metric(name, MetricUnit.Count, number)
    if also_by:
        # A set of its own: counted by it as well as for the whole service.
        metrics.add_dimensions(**also_by)
    metrics.flush_metrics()
