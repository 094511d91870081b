"""JSON schema of models of NoSQL Workbench 3, from those that were published."""

from typing import Any

Schema = dict[str, Any]

TYPES = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]


def closed(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """An object that has these and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def every(items: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": items, **limits}


TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
DATE: Schema = {
    "type": "string",
    "pattern": r"^[A-Z][a-z]{2} \d{2}, \d{4}, \d{2}:\d{2} [AP]M$",
}
ATTRIBUTE = closed({"AttributeName": NAME, "AttributeType": {"enum": TYPES}})
KEY_ATTRIBUTE = closed({"AttributeName": NAME, "AttributeType": {"enum": ["S", "N", "B"]}})
KEY = closed({"PartitionKey": KEY_ATTRIBUTE}, {"SortKey": KEY_ATTRIBUTE})
DATA_ACCESS = closed({"MySql": {"type": "object"}})
VALUE: Schema = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("S", "N", "B"), TEXT),
        **{tag: every(TEXT, minItems=1) for tag in ("SS", "NS", "BS")},
        "BOOL": {"type": "boolean"},
        "NULL": {"const": True},
        "L": every({"$ref": "#/$defs/value"}),
        "M": {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
    },
}
ITEM: Schema = {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}}
FACET = closed(
    {
        "FacetName": NAME,
        "KeyAttributeAlias": closed({"PartitionKeyAlias": NAME}, {"SortKeyAlias": NAME}),
        "TableData": every(ITEM),
        "NonKeyAttributes": every(NAME, uniqueItems=True),
        "DataAccess": DATA_ACCESS,
    }
)
PROJECTION: Schema = {
    "oneOf": [
        closed({"ProjectionType": {"enum": ["ALL", "KEYS_ONLY"]}}),
        closed({"ProjectionType": {"const": "INCLUDE"}, "NonKeyAttributes": every(NAME)}),
    ]
}
INDEX = closed({"IndexName": NAME, "KeyAttributes": KEY, "Projection": PROJECTION})
TABLE = closed(
    {
        "TableName": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{3,255}$"},
        "KeyAttributes": KEY,
        "NonKeyAttributes": every(ATTRIBUTE),
        "TableFacets": every(FACET),
        "GlobalSecondaryIndexes": every(INDEX),
        "DataAccess": DATA_ACCESS,
        "BillingMode": {"enum": ["PAY_PER_REQUEST", "PROVISIONED"]},
    }
)
MODEL: Schema = {
    **closed(
        {
            "ModelName": NAME,
            "ModelMetadata": closed(
                {
                    "Author": TEXT,
                    "DateCreated": DATE,
                    "DateLastModified": DATE,
                    "Description": TEXT,
                    "AWSService": {"const": "Amazon DynamoDB"},
                    "Version": {"const": "3.0"},
                }
            ),
            "DataModel": every(TABLE, minItems=1),
            # What Workbench has no place for.
            "Tablewright": {"type": "object"},
        }
    ),
    "$defs": {"value": VALUE},
}
