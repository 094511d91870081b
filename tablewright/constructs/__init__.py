"""Tables and what stands around them, as CDK constructs.

Each is loaded when it is first asked for: a CDK app pays only for what it uses. The nag rules,
which need cdk-nag, are in `tablewright.constructs.nag`.
"""

from typing import TYPE_CHECKING

from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.constructs.alarms.alarms import (
        AccountAlarms,
        ApiAlarms,
        FunctionAlarms,
        TableAlarms,
    )
    from tablewright.constructs.alarms.cost_alerts import CostAlerts
    from tablewright.constructs.alarms.level import AlarmLevel
    from tablewright.constructs.alarms.topic import AlarmTopic
    from tablewright.constructs.archive.archive import Archive
    from tablewright.constructs.backfill import Backfill
    from tablewright.constructs.dax.accelerator import Accelerator
    from tablewright.constructs.field_keys import FieldKeys, ReplicaFieldKeys
    from tablewright.constructs.functions.bundling import LIBRARY_SOURCES, PythonCode, Source
    from tablewright.constructs.functions.dependencies import BundlingError, Platform
    from tablewright.constructs.functions.function import Network, PythonFunction
    from tablewright.constructs.http_api import JwtHttpApi
    from tablewright.constructs.protection import Backups, Protection
    from tablewright.constructs.queues.event_queue import EventQueue
    from tablewright.constructs.queues.message_queue import MessageQueue
    from tablewright.constructs.queues.work_queue import WorkQueue
    from tablewright.constructs.self_healing import SelfHealing
    from tablewright.constructs.signing_key import CursorKey
    from tablewright.constructs.streams.consumer import StreamConsumer
    from tablewright.constructs.streams.event_pipe import EventPipe
    from tablewright.constructs.streams.failure_store import FailureStore
    from tablewright.constructs.streams.replica_stream import ReplicaStream
    from tablewright.constructs.tables.base import DesignTableBase
    from tablewright.constructs.tables.capacity import Capacity, Scaling
    from tablewright.constructs.tables.day_partitioned_table import DayPartitionedTable
    from tablewright.constructs.tables.sharded_tenant_table import ShardedTenantTable
    from tablewright.constructs.tables.table import DesignTable
    from tablewright.constructs.tables.write_table import REPLICAS, WriteTable
    from tablewright.constructs.tenant_role import TenantAccessRole
    from tablewright.model.grants import GrantError

_HOMES = {
    "Accelerator": "dax.accelerator",
    "AccountAlarms": "alarms.alarms",
    "AlarmLevel": "alarms.level",
    "AlarmTopic": "alarms.topic",
    "ApiAlarms": "alarms.alarms",
    "Archive": "archive.archive",
    "Backfill": "backfill",
    "Backups": "protection",
    "BundlingError": "functions.dependencies",
    "Capacity": "tables.capacity",
    "CostAlerts": "alarms.cost_alerts",
    "CursorKey": "signing_key",
    "DayPartitionedTable": "tables.day_partitioned_table",
    "DesignTable": "tables.table",
    "DesignTableBase": "tables.base",
    "EventPipe": "streams.event_pipe",
    "EventQueue": "queues.event_queue",
    "FailureStore": "streams.failure_store",
    "FieldKeys": "field_keys",
    "FunctionAlarms": "alarms.alarms",
    "GrantError": "tables.grants",
    "JwtHttpApi": "http_api",
    "LIBRARY_SOURCES": "functions.bundling",
    "MessageQueue": "queues.message_queue",
    "Network": "functions.function",
    "Platform": "functions.dependencies",
    "Protection": "protection",
    "PythonCode": "functions.bundling",
    "PythonFunction": "functions.function",
    "REPLICAS": "tables.write_table",
    "ReplicaFieldKeys": "field_keys",
    "ReplicaStream": "streams.replica_stream",
    "Scaling": "tables.capacity",
    "SelfHealing": "self_healing",
    "ShardedTenantTable": "tables.sharded_tenant_table",
    "Source": "functions.bundling",
    "StreamConsumer": "streams.consumer",
    "TableAlarms": "alarms.alarms",
    "TenantAccessRole": "tenant_role",
    "WorkQueue": "queues.work_queue",
    "WriteTable": "tables.write_table",
}

__all__ = [
    "LIBRARY_SOURCES",
    "REPLICAS",
    "Accelerator",
    "AccountAlarms",
    "AlarmLevel",
    "AlarmTopic",
    "ApiAlarms",
    "Archive",
    "Backfill",
    "Backups",
    "BundlingError",
    "Capacity",
    "CostAlerts",
    "CursorKey",
    "DayPartitionedTable",
    "DesignTable",
    "DesignTableBase",
    "EventPipe",
    "EventQueue",
    "FailureStore",
    "FieldKeys",
    "FunctionAlarms",
    "GrantError",
    "JwtHttpApi",
    "MessageQueue",
    "Network",
    "Platform",
    "Protection",
    "PythonCode",
    "PythonFunction",
    "ReplicaFieldKeys",
    "ReplicaStream",
    "Scaling",
    "SelfHealing",
    "ShardedTenantTable",
    "Source",
    "StreamConsumer",
    "TableAlarms",
    "TenantAccessRole",
    "WorkQueue",
    "WriteTable",
]


__getattr__ = lazily(__name__, _HOMES)
