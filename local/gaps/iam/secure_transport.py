"""Gap: with IAM enforced, policies that demand TLS refuse every call.

The emulator listens on plain http on the loopback address, where TLS has nothing to protect. Its
callers count as having used it, so that `aws:SecureTransport` denials stay in the policies.
"""

from typing import Any

from ministack.core import iam_evaluator

from local.gaps import expected


def close() -> None:
    resolve = expected.function(iam_evaluator, "_resolve_condition_key", "key", "ctx")

    def resolve_condition_key(key: str, ctx: Any) -> Any:
        return "true" if key.lower() == "aws:securetransport" else resolve(key, ctx)

    iam_evaluator._resolve_condition_key = resolve_condition_key
