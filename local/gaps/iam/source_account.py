"""Gap: with IAM enforced, a role that trusts a service for this account only is refused to it.

What ministack's services do for somebody they do as the account's root. It counts as a service that
acts for the account, so that `aws:SourceAccount` conditions stay in the trust policies.
"""

from typing import Any

from ministack.core import iam_evaluator

from local.gaps import expected

_KEY = "aws:sourceaccount"


def close() -> None:
    resolve = expected.function(iam_evaluator, "_resolve_condition_key", "key", "ctx")

    def resolve_condition_key(key: str, ctx: Any) -> Any:
        found = resolve(key, ctx)
        if found is None and key.lower() == _KEY and ctx.principal_type == "Root":
            return ctx.principal_account
        return found

    iam_evaluator._resolve_condition_key = resolve_condition_key
