"""Multi-region strong consistency: what DynamoDB demands of a table that has it."""

from collections.abc import Iterator, Sequence

from tablewright.model.table import Design

# Tables that span two of these sets are refused.
_SETS = (
    frozenset({"us-east-1", "us-east-2", "us-west-2"}),
    frozenset({"eu-central-1", "eu-west-1", "eu-west-2", "eu-west-3"}),
    frozenset({"ap-northeast-1", "ap-northeast-2", "ap-northeast-3"}),
)
_REGIONS = 3


def refusals(
    design: Design, own: str, replicas: Sequence[str], witness: str | None
) -> Iterator[str]:
    """Why DynamoDB would refuse the table, or requests that its patterns make."""
    if design.ttl:
        yield f"its items expire by '{design.ttl}', and it can have no time to live"
    if local := [index.name for index in design.index_list if index.local]:
        yield f"it has local indexes ({', '.join(local)})"
    patterns = design.pattern_list
    if transacted := [one.name for one in patterns if "TransactWriteItems" in one.operations]:
        yield f"{', '.join(transacted)} need transactions, which it refuses"
    if witness in (own, *replicas):
        yield f"its witness, {witness}, is a region that has its items"
    regions = {own, *replicas, *([witness] if witness else ())}
    if len(regions) != _REGIONS:
        yield f"it is in {len(regions)} regions, and must be in three, its witness among them"
    if not any(regions <= one for one in _SETS):
        sets = "; ".join(", ".join(sorted(one)) for one in _SETS)
        yield f"its regions, {', '.join(sorted(regions))}, must all be of one set: {sets}"
