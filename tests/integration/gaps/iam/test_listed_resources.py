"""Lists of log groups and alarms are allowed by account and region, as in AWS."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import HOME, Cloud
from tests.integration.gaps.iam.roles import only

GROUPS = f"arn:aws:logs:{HOME}:000000000000:log-group:*"
ALARMS = f"arn:aws:cloudwatch:{HOME}:000000000000:alarm:*"


def test_a_policy_for_all_of_a_region_allows_its_lists(cloud: Cloud) -> None:
    assert only(cloud, "logs:DescribeLogGroups", GROUPS).describe_log_groups()
    assert only(cloud, "cloudwatch:DescribeAlarms", ALARMS).describe_alarms()


def test_a_policy_for_some_of_them_does_not(cloud: Cloud) -> None:
    some = only(cloud, "logs:DescribeLogGroups", f"{GROUPS[:-1]}some-*", name="some-groups")
    with pytest.raises(ClientError, match="not authorized"):
        some.describe_log_groups(logGroupNamePrefix="some-")


def test_ministack_itself_allows_lists_on_everything_only(
    cloud_without: Callable[[str], Cloud],
) -> None:
    other = cloud_without("iam.listed_resources")
    with pytest.raises(ClientError, match="not authorized"):
        only(other, "logs:DescribeLogGroups", GROUPS).describe_log_groups()
