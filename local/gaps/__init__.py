"""What ministack does not do as AWS does, closed one module each.

A gap is closed by replacing a few of ministack's functions before it starts. Every replacement
first asserts that ministack still has what it replaces; a module goes when upstream has caught up.
"""

from collections.abc import Collection
from importlib import import_module

GAPS = (
    "secure_transport",
    "source_account",
    "policy_variables",
    "leading_keys",
    "batch_actions",
    "message_moves",
    "statements",
    "secret_reference",
    "resources",
    "filter_patterns",
    "streams",
    "stream_records",
    "time_to_live",
    "global_tables",
    "pipes",
    "user_pool_issuer",
    "http_answers",
    "durable_state",
    "user_attributes",
    "function_code",
    "faults",
    "metrics",
    "alarms",
)


def close(without: Collection[str] = ()) -> None:
    """Close all gaps except the named ones; ministack must not have started yet."""
    if unknown := set(without) - set(GAPS):
        raise ValueError(f"no such gaps: {', '.join(sorted(unknown))}. Known: {', '.join(GAPS)}")
    for gap in GAPS:
        if gap not in without:
            import_module(f"{__name__}.{gap}").close()
