"""The sales intelligence table, ready for any CDK app."""

from typing import Unpack

from constructs import Construct

from tablewright.constructs.table import DesignTable, TableOptions
from tablewright.designs.sales import SALES


class SalesTable(DesignTable):
    """Sales by product, category, brand and embedding, for many tenants.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        sales = SalesTable(self, "Sales", stage="dev")
        sales.grant(function, SALES.category_sales)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        if (stage is None) == (table_name is None):
            raise ValueError("SalesTable takes either a stage or a table_name")
        name = table_name or SALES.name.format(stage=stage)
        super().__init__(scope, id, design=SALES, table_name=name, **options)
