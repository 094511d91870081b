"""Tables and what stands around them, as CDK constructs.

Each is loaded when it is first asked for: a CDK app pays only for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.constructs.accelerator import Accelerator
    from tablewright.constructs.alarm_level import AlarmLevel
    from tablewright.constructs.alarm_topic import AlarmTopic
    from tablewright.constructs.alarms import (
        AccountAlarms,
        ApiAlarms,
        FunctionAlarms,
        TableAlarms,
    )
    from tablewright.constructs.bundling import LIBRARY_SOURCES, PythonCode, Source
    from tablewright.constructs.capacity import Capacity, Scaling
    from tablewright.constructs.content_registry_table import ContentRegistryTable
    from tablewright.constructs.cost_alerts import CostAlerts
    from tablewright.constructs.day_partitioned_table import DayPartitionedTable
    from tablewright.constructs.dependencies import BundlingError, Platform
    from tablewright.constructs.event_pipe import EventPipe
    from tablewright.constructs.event_queue import EventQueue
    from tablewright.constructs.events_table import EventsTable
    from tablewright.constructs.failure_store import FailureStore
    from tablewright.constructs.function import Network, PythonFunction
    from tablewright.constructs.grants import GrantError
    from tablewright.constructs.http_api import JwtHttpApi
    from tablewright.constructs.message_queue import MessageQueue
    from tablewright.constructs.news_table import NewsTable
    from tablewright.constructs.notifications_table import NotificationsTable
    from tablewright.constructs.protection import Backups, Protection
    from tablewright.constructs.replication_alarms import ReplicationAlarms
    from tablewright.constructs.sales_table import SalesTable
    from tablewright.constructs.self_healing import SelfHealing
    from tablewright.constructs.sharded_tenant_table import ShardedTenantTable
    from tablewright.constructs.signing_key import CursorKey
    from tablewright.constructs.stream_consumer import StreamConsumer
    from tablewright.constructs.subscriptions_table import SubscriptionsTable
    from tablewright.constructs.table import DesignTable, StagedTable
    from tablewright.constructs.tenant_role import TenantAccessRole
    from tablewright.constructs.work_queue import WorkQueue
    from tablewright.constructs.write_table import WriteTable

_HOMES = {
    "NewsTable": "news_table",
    "StagedTable": "table",
    "WriteTable": "write_table",
    "ContentRegistryTable": "content_registry_table",
    "NotificationsTable": "notifications_table",
    "SubscriptionsTable": "subscriptions_table",
    "EventsTable": "events_table",
    "DayPartitionedTable": "day_partitioned_table",
    "LIBRARY_SOURCES": "bundling",
    "Accelerator": "accelerator",
    "AccountAlarms": "alarms",
    "AlarmLevel": "alarm_level",
    "AlarmTopic": "alarm_topic",
    "ApiAlarms": "alarms",
    "Backups": "protection",
    "BundlingError": "dependencies",
    "Capacity": "capacity",
    "CostAlerts": "cost_alerts",
    "CursorKey": "signing_key",
    "DesignTable": "table",
    "EventPipe": "event_pipe",
    "EventQueue": "event_queue",
    "FailureStore": "failure_store",
    "FunctionAlarms": "alarms",
    "GrantError": "grants",
    "JwtHttpApi": "http_api",
    "MessageQueue": "message_queue",
    "Network": "function",
    "Platform": "dependencies",
    "Protection": "protection",
    "PythonCode": "bundling",
    "PythonFunction": "function",
    "ReplicationAlarms": "replication_alarms",
    "SalesTable": "sales_table",
    "Scaling": "capacity",
    "SelfHealing": "self_healing",
    "ShardedTenantTable": "sharded_tenant_table",
    "Source": "bundling",
    "StreamConsumer": "stream_consumer",
    "TableAlarms": "alarms",
    "TenantAccessRole": "tenant_role",
    "WorkQueue": "work_queue",
}

__all__ = [
    "LIBRARY_SOURCES",
    "Accelerator",
    "AccountAlarms",
    "AlarmLevel",
    "AlarmTopic",
    "ApiAlarms",
    "Backups",
    "BundlingError",
    "Capacity",
    "ContentRegistryTable",
    "CostAlerts",
    "CursorKey",
    "DayPartitionedTable",
    "DesignTable",
    "EventPipe",
    "EventQueue",
    "EventsTable",
    "FailureStore",
    "FunctionAlarms",
    "GrantError",
    "JwtHttpApi",
    "MessageQueue",
    "Network",
    "NewsTable",
    "NotificationsTable",
    "Platform",
    "Protection",
    "PythonCode",
    "PythonFunction",
    "ReplicationAlarms",
    "SalesTable",
    "Scaling",
    "SelfHealing",
    "ShardedTenantTable",
    "Source",
    "StagedTable",
    "StreamConsumer",
    "SubscriptionsTable",
    "TableAlarms",
    "TenantAccessRole",
    "WorkQueue",
    "WriteTable",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
