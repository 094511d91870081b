"""Price trends."""

from decimal import Decimal

from lambdas.sales.trend import period_of, trend


def prices(*pairs: tuple[str, str]) -> list[tuple[str, Decimal]]:
    return [(day, Decimal(price)) for day, price in pairs]


def test_prices_are_summed_up_by_period() -> None:
    sales = prices(("2025-01-30", "1.00"), ("2025-01-31", "2.01"), ("2025-02-01", "5.00"))
    january, february = trend(sales, "month")
    assert january == {
        "period": "2025-01",
        "count": 2,
        "min": Decimal("1.00"),
        "median": Decimal("1.50"),  # 1.505, half to even
        "mean": Decimal("1.50"),
        "max": Decimal("2.01"),
    }
    assert february["count"] == 1


def test_weeks_are_iso_weeks() -> None:
    days = ("2024-12-30", "2025-01-05", "2025-01-06")
    assert [period_of(day, "week") for day in days] == ["2025-W01", "2025-W01", "2025-W02"]


def test_a_period_without_sales_is_left_out() -> None:
    sales = prices(("2025-01-01", "1"), ("2025-01-03", "1"))
    assert [bucket["period"] for bucket in trend(sales, "day")] == ["2025-01-01", "2025-01-03"]


def test_no_sales_make_no_periods() -> None:
    assert list(trend([], "day")) == []
