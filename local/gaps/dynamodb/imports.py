"""Gap: a stack cannot take over a global table that exists: imports know tables of one region."""

from ministack.services.cloudformation import changesets

from local.gaps import expected

_GLOBAL, _ONE = "AWS::DynamoDB::GlobalTable", "AWS::DynamoDB::Table"


def close() -> None:
    handler, lookups = expected.handler(_GLOBAL), expected.attribute(changesets, "_IMPORT_LOOKUPS")
    if "import" in handler or _GLOBAL in lookups:
        raise expected.GapMismatch(f"ministack imports {_GLOBAL} by now")
    handler["import"] = expected.handler(_ONE)["import"]
    lookups[_GLOBAL] = lookups[_ONE]
