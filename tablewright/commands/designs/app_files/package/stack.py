"""CDK stack: the table, and the function with exactly the rights that it uses."""

from pathlib import Path

from aws_cdk import Stack
from constructs import Construct
from tablewright.constructs import (
    LIBRARY_SOURCES,
    DesignTable,
    Protection,
    PythonCode,
    PythonFunction,
    Source,
)

from NAME.orders import Orders

HERE = Path(__file__).parent


class OrdersStack(Stack):
    """Orders, and the function that places them."""

    def __init__(self, scope: Construct, id: str, *, protection: Protection) -> None:
        super().__init__(scope, id)
        self.table = DesignTable(self, "Orders", design=Orders, protection=protection)
        code = PythonCode(sources=(Source(HERE, "NAME", without=("stack.py",)), *LIBRARY_SOURCES))
        self.placing = PythonFunction(
            self,
            "Place",
            system="NAME",
            code=code,
            handler="NAME.function.handler",
            environment={"ORDERS_TABLE": self.table.table_name},
        )
        self.table.grant(self.placing.function, Orders.place)
