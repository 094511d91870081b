"""Refusals: what DynamoDB answers to a change of a table that it does not make."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ministack.core.responses import error_response_json
from ministack.services import dynamodb

from local.gaps import expected

Table = dict[str, Any]
Request = dict[str, Any]

# The types by which CloudFormation makes tables.
TABLE, GLOBAL_TABLE = "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"


class Refusal(NamedTuple):
    """An error of DynamoDB: its code, and its message as AWS words it."""

    code: str
    message: str


def invalid(message: str) -> Refusal:
    return Refusal("ValidationException", message)


def invalid_parameter(message: str) -> Refusal:
    return invalid(f"One or more parameter values were invalid: {message}")


def refuse(operation: str, reason: Callable[[Table, Request], Refusal | None]) -> None:
    """Let ministack's operation on a table answer with an error when there is a reason to."""
    perform = expected.function(dynamodb, operation, "data")
    expected.function(dynamodb, "_normalize_table_name", "value")
    expected.attribute(dynamodb, "_tables")

    def checked(data: Request) -> Any:
        table = dynamodb._tables.get(dynamodb._normalize_table_name(data.get("TableName")))
        # A table that is not there is ministack's to refuse.
        refusal = reason(table, data) if table is not None else None
        return error_response_json(*refusal) if refusal else perform(data)

    setattr(dynamodb, operation, checked)
