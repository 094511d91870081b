"""What a table is. Standard library only: every Lambda function imports this."""

from tablewright.designs.entity import Entity, Expiry, Key, Record
from tablewright.designs.errors import DesignError, InvalidRecord, InvalidValue, TablewrightError
from tablewright.designs.fields import Choice, Date, Field, Money, Number, Text, Timestamp
from tablewright.designs.model import ALL, KEYS_ONLY, Index, Table
from tablewright.designs.patterns import BatchPut, Count, Delete, Get, Pattern, Put, Query, Update
from tablewright.designs.sharding import ShardFunction, Shards, java_hash, last_character, uniform

__all__ = [
    "ALL",
    "KEYS_ONLY",
    "BatchPut",
    "Choice",
    "Count",
    "Date",
    "Delete",
    "DesignError",
    "Entity",
    "Expiry",
    "Field",
    "Get",
    "Index",
    "InvalidRecord",
    "InvalidValue",
    "Key",
    "Money",
    "Number",
    "Pattern",
    "Put",
    "Query",
    "Record",
    "ShardFunction",
    "Shards",
    "Table",
    "TablewrightError",
    "Text",
    "Timestamp",
    "Update",
    "java_hash",
    "last_character",
    "uniform",
]
