"""Sales intelligence table, ready for any CDK app."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.sales.design import (
    CATEGORY_SHARDS,
    EMBEDDING_SHARDS,
    PROJECTION,
    YEARS_KEPT,
    sales_table,
)
from tablewright.constructs.tables.table import DesignTable, TableOptions


class SalesTable(DesignTable):
    """Sales by product, category, brand and embedding, for many tenants.

    Numbers of shards may be raised later, but not lowered; what the indexes of categories and of
    brands carry (`projects`) stays as it is made. Tell both, and other `years` that sales are kept,
    to the functions.

    Example::

        sales = SalesTable(self, "Sales", category_shards=20)
        sales.grant(function, Sales.category_sales)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        category_shards: int = CATEGORY_SHARDS,
        embedding_shards: int = EMBEDDING_SHARDS,
        years: int = YEARS_KEPT,
        projects: str = PROJECTION,
        **options: Unpack[TableOptions],
    ) -> None:
        design = sales_table(
            category_shards=category_shards,
            embedding_shards=embedding_shards,
            years=years,
            projects=projects,
        )
        super().__init__(scope, id, design=design, **options)
