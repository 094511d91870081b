"""Gap: a batch is authorized as an action of its own, which IAM does not know.

In AWS a batch of messages needs the permission for a single one.
"""

from typing import Any

from ministack.core import iam_actions

from local.gaps import expected

_SINGLE = {
    "sns:PublishBatch": "sns:Publish",
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}


def close() -> None:
    extract = expected.function(
        iam_actions,
        "extract_iam_action",
        "service",
        "method",
        "path",
        "headers",
        "body",
        "query_params",
    )

    def extract_single(*arguments: Any) -> str | None:
        action: str | None = extract(*arguments)
        return _SINGLE.get(action or "", action)

    iam_actions.extract_iam_action = extract_single
