"""Model of a table. Standard library only: every Lambda function imports this."""

from tablewright.model.entity import Entity, Key, Record
from tablewright.model.errors import DesignError, InvalidRecord, InvalidValue, TablewrightError
from tablewright.model.expiry import Expiry
from tablewright.model.fields.compound import Binary, Document, Tally, TextList, TextSet
from tablewright.model.fields.numbers import Fraction, Money, Number, Whole
from tablewright.model.fields.scalars import (
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
from tablewright.model.patterns import (
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
from tablewright.model.sharding.epochs import Epoch, EpochList, Epochs, EpochShards
from tablewright.model.sharding.shards import (
    ShardFunction,
    Shards,
    java_hash,
    last_character,
    uniform,
)
from tablewright.model.table import ALL, KEYS_ONLY, Index, Table
from tablewright.model.time_ids import TimeId

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
