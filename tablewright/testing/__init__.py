"""Testing kit: databases on a local engine, random records, faults, budgets, rights, tenants.

Each name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.runtime.meter import Meter
    from tablewright.testing.budgets import Cost, Costs, costs_at_most
    from tablewright.testing.database import Database, Databases, StoreSettings
    from tablewright.testing.dynamodb_local import Credentials, DynamoDbLocal, DynamoDbLocalError
    from tablewright.testing.edges.calls import AwsCall
    from tablewright.testing.faults import Calls, survives_every_fault
    from tablewright.testing.injector import Crash, Fault, Faulty
    from tablewright.testing.metering import FaithfulMeter
    from tablewright.testing.privileges.grants import TemplateError
    from tablewright.testing.privileges.least_privilege import Privileges, least_privilege
    from tablewright.testing.privileges.recorder import Recorder
    from tablewright.testing.random_records import records
    from tablewright.testing.tables import create
    from tablewright.testing.tenants import isolated

_HOMES = {
    "AwsCall": "edges.calls",
    "Calls": "faults",
    "Cost": "budgets",
    "Costs": "budgets",
    "Crash": "injector",
    "Credentials": "dynamodb_local",
    "Database": "database",
    "Databases": "database",
    "DynamoDbLocal": "dynamodb_local",
    "DynamoDbLocalError": "dynamodb_local",
    "FaithfulMeter": "metering",
    "Fault": "injector",
    "Faulty": "injector",
    "Meter": "metering",
    "Privileges": "privileges.least_privilege",
    "Recorder": "privileges.recorder",
    "StoreSettings": "database",
    "TemplateError": "privileges.grants",
    "costs_at_most": "budgets",
    "create": "tables",
    "isolated": "tenants",
    "least_privilege": "privileges.least_privilege",
    "records": "random_records",
    "survives_every_fault": "faults",
}

__all__ = [
    "AwsCall",
    "Calls",
    "Cost",
    "Costs",
    "Crash",
    "Credentials",
    "Database",
    "Databases",
    "DynamoDbLocal",
    "DynamoDbLocalError",
    "FaithfulMeter",
    "Fault",
    "Faulty",
    "Meter",
    "Privileges",
    "Recorder",
    "StoreSettings",
    "TemplateError",
    "costs_at_most",
    "create",
    "isolated",
    "least_privilege",
    "records",
    "survives_every_fault",
]

__getattr__ = lazily(__name__, _HOMES)
