"""Reading and writing metrics of an emulated cloud."""

from datetime import UTC, datetime, timedelta

from tests.integration.gaps.clouds import Cloud


def total(cloud: Cloud, namespace: str, metric: str, **where: str) -> float:
    """The sum of a metric's values in the last minutes."""
    now = datetime.now(UTC)
    found = cloud.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in where.items()],
        StartTime=now - timedelta(minutes=5),
        EndTime=now + timedelta(minutes=1),
        Period=3600,
        Statistics=["Sum"],
    )
    return float(sum(point["Sum"] for point in found["Datapoints"]))
