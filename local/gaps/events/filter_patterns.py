"""Gap: a filter that asks for a value to be absent fails where what would hold it is absent too.

In AWS a pattern names paths to values, and `exists: false` holds whenever there is no value at the
end of its path. Patterns of stream mappings and of pipes are both matched here.
"""

from typing import Any

from ministack.services import lambda_svc

from local.gaps import expected


def close() -> None:
    match = expected.function(lambda_svc, "_match_esm_filter", "record", "pattern")

    # Called for each level of a pattern, also by ministack's own.
    def match_paths(record: dict[str, Any], pattern: Any) -> bool:
        if isinstance(pattern, dict):
            # What is empty has no value at the end of any path, as what is missing has none.
            empty: dict[str, Any] = {
                name: {} for name, inner in pattern.items() if _wants_nothing(inner)
            }
            record = {**empty, **record}
        return bool(match(record, pattern))

    lambda_svc._match_esm_filter = match_paths


def _wants_nothing(pattern: Any) -> bool:
    """Whether a part of a pattern holds where nothing is."""
    return isinstance(pattern, dict) and all(
        _wants_nothing(inner) if isinstance(inner, dict) else {"exists": False} in inner
        for inner in pattern.values()
    )
