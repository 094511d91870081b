"""Gap: log groups and alarms are listed on everything, so that only `*` allows it.

In AWS each list has a resource of its own, which a policy for one account and region matches.
"""

from typing import Any

from ministack.core import iam_actions

from local.gaps import expected

_LISTS = {
    "logs:DescribeLogGroups": "arn:aws:logs:{region}:{account}:log-group::log-stream:",
    "cloudwatch:DescribeAlarms": "arn:aws:cloudwatch:{region}:{account}:alarm:*",
}
_REQUEST = ("service", "method", "path", "headers", "body", "query_params")


def close() -> None:
    extract = expected.function(
        iam_actions, "extract_resource_arn", *_REQUEST, "region", "account_id"
    )

    def extract_listed(*arguments: Any) -> str:
        *request, region, account = arguments
        listed = _LISTS.get(iam_actions.extract_iam_action(*request) or "")
        arn: str = extract(*arguments)
        return listed.format(region=region, account=account) if listed and arn == "*" else arn

    iam_actions.extract_resource_arn = extract_listed
