"""Tables and what stands around them, as CDK constructs.

Each is loaded when it is first asked for: a CDK app pays only for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.constructs.alarm_topic import AlarmTopic
    from tablewright.constructs.alarms import ApiAlarms, FunctionAlarms, TableAlarms
    from tablewright.constructs.bundling import LIBRARY_SOURCES, PythonCode, Source
    from tablewright.constructs.capacity import Capacity, Scaling
    from tablewright.constructs.dependencies import BundlingError, Platform
    from tablewright.constructs.function import PythonFunction
    from tablewright.constructs.grants import GrantError
    from tablewright.constructs.http_api import JwtHttpApi
    from tablewright.constructs.protection import Backups, Protection
    from tablewright.constructs.sales_table import SalesTable
    from tablewright.constructs.signing_key import CursorKey
    from tablewright.constructs.table import DesignTable
    from tablewright.constructs.tenant_role import TenantAccessRole

_HOMES = {
    "LIBRARY_SOURCES": "bundling",
    "AlarmTopic": "alarm_topic",
    "ApiAlarms": "alarms",
    "Backups": "protection",
    "BundlingError": "dependencies",
    "Capacity": "capacity",
    "CursorKey": "signing_key",
    "DesignTable": "table",
    "FunctionAlarms": "alarms",
    "GrantError": "grants",
    "JwtHttpApi": "http_api",
    "Platform": "dependencies",
    "Protection": "protection",
    "PythonCode": "bundling",
    "PythonFunction": "function",
    "SalesTable": "sales_table",
    "Scaling": "capacity",
    "Source": "bundling",
    "TableAlarms": "alarms",
    "TenantAccessRole": "tenant_role",
}

__all__ = [
    "LIBRARY_SOURCES",
    "AlarmTopic",
    "ApiAlarms",
    "Backups",
    "BundlingError",
    "Capacity",
    "CursorKey",
    "DesignTable",
    "FunctionAlarms",
    "GrantError",
    "JwtHttpApi",
    "Platform",
    "Protection",
    "PythonCode",
    "PythonFunction",
    "SalesTable",
    "Scaling",
    "Source",
    "TableAlarms",
    "TenantAccessRole",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
