"""Tables on a local engine, made from their designs."""

from typing import Any

from tablewright.model import Table
from tablewright.model.table_form import TableForm


def create(client: Any, table: type[Table], name: str, *, stream: bool = True) -> str:
    """Create a table, as its construct would, and wait until it can be used.

    Nothing in it expires: the engine would go by the machine's clock, whoever uses it has another.
    `stream` is False for one whose stream nobody reads: the engine, which never forgets a change,
    takes the longer to write the more of them there are.

    Example::

        with DynamoDbLocal() as engine:
            client = boto3.client("dynamodb", "eu-west-1", endpoint_url=engine.endpoint,
                                  **engine.credentials())
            store = Store(Orders, create(client, Orders, "orders"), client)
    """
    client.create_table(**creation(table, name, stream=stream))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return name


def creation(table: type[Table], name: str, *, stream: bool) -> dict[str, Any]:
    """What CreateTable is asked for a table, with or without its stream."""
    made = TableForm.of(table.__design__).definition(name)
    if not stream:
        made.pop("StreamSpecification", None)
    return made
