"""What a table is. Standard library only: every Lambda function imports this."""

from tablewright.designs.compound import Binary, Document, Tally, TextList, TextSet
from tablewright.designs.entity import Entity, Key, Record
from tablewright.designs.epochs import Epoch, EpochList, Epochs, EpochShards
from tablewright.designs.errors import DesignError, InvalidRecord, InvalidValue, TablewrightError
from tablewright.designs.expiry import Expiry
from tablewright.designs.fields import (
    IN_KEY,
    Choice,
    Date,
    Field,
    Flag,
    Hour,
    Lines,
    Name,
    Prose,
    Text,
    Timestamp,
)
from tablewright.designs.model import ALL, KEYS_ONLY, Index, Table
from tablewright.designs.numbers import Fraction, Money, Number, Whole
from tablewright.designs.patterns import (
    BatchCreate,
    BatchGet,
    BatchPut,
    BatchWrite,
    Count,
    Delete,
    Get,
    Pattern,
    Put,
    Query,
    Update,
)
from tablewright.designs.sharding import ShardFunction, Shards, java_hash, last_character, uniform
from tablewright.designs.time_ids import TimeId

__all__ = [
    "ALL",
    "IN_KEY",
    "KEYS_ONLY",
    "BatchCreate",
    "BatchGet",
    "BatchPut",
    "BatchWrite",
    "Binary",
    "Choice",
    "Count",
    "Date",
    "Delete",
    "DesignError",
    "Document",
    "Entity",
    "Epoch",
    "EpochList",
    "EpochShards",
    "Epochs",
    "Expiry",
    "Field",
    "Flag",
    "Fraction",
    "Get",
    "Hour",
    "Index",
    "InvalidRecord",
    "InvalidValue",
    "Key",
    "Lines",
    "Money",
    "Name",
    "Number",
    "Pattern",
    "Prose",
    "Put",
    "Query",
    "Record",
    "ShardFunction",
    "Shards",
    "Table",
    "TablewrightError",
    "Tally",
    "Text",
    "TextList",
    "TextSet",
    "TimeId",
    "Timestamp",
    "Update",
    "Whole",
    "java_hash",
    "last_character",
    "uniform",
]
