"""What an archive costs, reckoned by hand."""

from decimal import Decimal

from tablewright.catalog.sales.design import Sales
from tablewright.costs.price_lists import US_EAST_1
from tablewright.pages.archive_cost import archive_bill, archive_chapter


def test_a_million_items_a_day_of_a_kilobyte() -> None:
    bill = archive_bill(1_000_000, 1000, US_EAST_1)
    # 1,154 puts a day; 2,400 s of 1.769 GB; 0.4 GB a day for 30, 60 and 275 days.
    assert bill == {
        "requests of S3": Decimal("0.17"),
        "functions": Decimal("0.06"),
        "storage of a year": Decimal("1.02"),
        "total": Decimal("1.25"),
    }


def test_few_items_are_few_objects() -> None:
    assert archive_bill(10, 1000, US_EAST_1)["requests of S3"] == Decimal("0.00")


def test_the_chapter_has_a_column_for_each_size() -> None:
    (sale,) = Sales.__design__.entity_list
    record = sale.check(sale.example)
    says, shown, _ = archive_chapter(
        Sales.__design__, "Sale", record, {"a": 1, "b": 2000}, US_EAST_1
    )
    assert "bytes" in says
    assert "a, 1 items a day | b, 2,000 items a day" in shown
