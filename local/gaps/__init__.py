"""Gaps: what ministack does not do as AWS does, closed one module each.

A gap is closed by replacing a few of ministack's functions before it starts. Every replacement
first asserts that ministack still has what it replaces; a module goes when upstream has caught up.
"""

from collections.abc import Collection
from importlib import import_module

GAPS = (
    "iam.secure_transport",
    "iam.source_account",
    "iam.policy_variables",
    "iam.leading_keys",
    "iam.batch_actions",
    "iam.listed_resources",
    "iam.encryption_context",
    "iam.multi_region_keys",
    "events.message_moves",
    "iam.statements",
    "cloudformation.secret_reference",
    "cloudformation.resources",
    "events.filter_patterns",
    "functions.streams",
    "dynamodb.inserting_statements",
    "dynamodb.time_to_live",
    "dynamodb.global_tables",
    "dynamodb.imports",
    "dynamodb.changes.indexes",
    "dynamodb.changes.replicas",
    "dynamodb.changes.expiry",
    "dynamodb.changes.deletion",
    "dynamodb.changes.keys",
    "dynamodb.changes.stacks",
    "events.pipes",
    "cognito.user_pool_issuer",
    "http_answers",
    "durable_state",
    "cognito.user_attributes",
    "functions.function_code",
    "faults",
    "dynamodb.replication",
    "cloudwatch.metrics",
    "cloudwatch.alarms",
)


def close(without: Collection[str] = ()) -> None:
    """Close all gaps except the named ones; ministack must not have started yet."""
    if unknown := set(without) - set(GAPS):
        raise ValueError(f"no such gaps: {', '.join(sorted(unknown))}. Known: {', '.join(GAPS)}")
    for gap in GAPS:
        if gap not in without:
            import_module(f"{__name__}.{gap}").close()
