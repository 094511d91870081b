"""The sales intelligence table, ready for any CDK app."""

from tablewright.catalog.sales.design import SALES
from tablewright.constructs.tables.table import StagedTable


class SalesTable(StagedTable):
    """Sales by product, category, brand and embedding, for many tenants.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        sales = SalesTable(self, "Sales", stage="dev")
        sales.grant(function, SALES.category_sales)
    """

    DESIGN = SALES
