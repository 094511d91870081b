"""Sales intelligence table, ready for any CDK app."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.sales.design import Sales
from tablewright.constructs.tables.table import DesignTable, TableOptions


class SalesTable(DesignTable):
    """Sales by product, category, brand and embedding, for many tenants.

    Example::

        sales = SalesTable(self, "Sales")
        sales.grant(function, Sales.category_sales)
    """

    def __init__(self, scope: Construct, id: str, **options: Unpack[TableOptions]) -> None:
        super().__init__(scope, id, design=Sales, **options)
