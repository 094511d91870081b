"""The sales design: every key, name and number of its contract."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tablewright.catalog.sales.design import (
    Sale,
    Sales,
    create_sales_record,
    get_category_shard,
    get_embedding_shard,
    sales_table,
    shards_of,
)
from tablewright.model import ALL, KEYS_ONLY, Expiry, InvalidRecord, last_character

EXAMPLE = Sale.__entity__.check(Sale.__entity__.example)


def test_the_example_gets_the_published_keys() -> None:
    sale = {**EXAMPLE, "product_id": "prod_12345", "sale_id": "sale_abc123"}
    keys = Sales.__design__.derived(Sale.__entity__, sale)
    assert keys["PK"] == "TENANT#carousel-labs#PRODUCT#prod_12345"
    assert keys["SK"] == "SALE#2025-12-29#sale_abc123"
    assert str(keys["GSI1PK"])[:-1] == "TENANT#carousel-labs#CATEGORY#dress#SHARD#"
    assert keys["GSI1SK"] == "DATE#2025-12-29#PRICE#0000009999"
    assert str(keys["GSI2PK"])[:-1] == "TENANT#carousel-labs#EMBTYPE#PRODUCT#SHARD#"
    assert keys["GSI2SK"] == "DATE#2025-12-29"
    assert keys["GSI3PK"] == "TENANT#carousel-labs#BRAND#Nike"
    assert keys["GSI3SK"] == "DATE#2025-12-29#PRICE#0000009999"


def test_attributes_are_stored_under_the_published_names() -> None:
    assert set(Sales.__design__.attributes(Sale.__entity__, EXAMPLE)) == {
        *("PK", "SK", "tenant", "productId", "saleId", "saleDate", "salePrice", "originalPrice"),
        *("category", "brand", "season", "embeddingId", "embeddingS3Key", "ttl", "createdAt"),
        *("updatedAt", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK", "GSI3SK"),
    }


def test_indexes_project_what_was_published() -> None:
    one, two, three = Sales.__design__.index_list
    assert (one.projects, three.projects) == (KEYS_ONLY, KEYS_ONLY)
    stored = [Sale.__entity__.by_name[name].stored for name in two.projects]
    assert stored == ["embeddingS3Key", "productId", "category", "salePrice", "brand"]


def test_indexes_with_whole_sales_can_be_had_and_their_lists_read_nothing_else() -> None:
    whole, usual = sales_table(projects=ALL).__design__, Sales.__design__
    for one in (Sales.category_sales, Sales.brand_sales):
        assert whole.patterns[one.name] is one
        assert whole.actions(one) == (("Query", one.index),)
        assert usual.actions(one) == (("Query", one.index), ("BatchGetItem", None))
    assert whole.index_list[1].projects == usual.index_list[1].projects
    with pytest.raises(ValueError, match="projects KEYS_ONLY or ALL, not INCLUDE"):
        sales_table(projects="INCLUDE")


def test_a_sale_without_a_brand_is_not_in_the_brand_index() -> None:
    plain = {name: value for name, value in EXAMPLE.items() if name != "brand"}
    keys = Sales.__design__.derived(Sale.__entity__, plain)
    assert "GSI3PK" not in keys
    assert "GSI3SK" not in keys


def test_the_shard_of_a_category_is_among_ten_and_of_embeddings_among_five() -> None:
    shards = [set(), set()]  # type: list[set[str]]
    for number in range(500):
        sale = {**EXAMPLE, "sale_id": f"s{number}", "product_id": f"p{number}"}
        keys = Sales.__design__.derived(Sale.__entity__, sale)
        shards[0].add(str(keys["GSI1PK"]).rsplit("#", 1)[1])
        shards[1].add(str(keys["GSI2PK"]).rsplit("#", 1)[1])
    assert shards == [set("0123456789"), set("01234")]


def test_the_published_category_shards_can_be_had() -> None:
    design = sales_table(function=last_character).__design__
    sale = {**EXAMPLE, "sale_id": "sale_abc0"}
    keys = design.derived(design.entities["Sale"], sale)
    assert str(keys["GSI1PK"]).endswith("#SHARD#8")


def test_shards_of_a_sale_are_those_of_its_keys() -> None:
    for table in (Sales, sales_table(category_shards=20, function=last_character)):
        sale = Sale(**{**EXAMPLE, "sale_id": "sale_abc0", "product_id": "prod_abc"})
        keys = table.__design__.derived(table.__design__.entities["Sale"], sale)
        assert shards_of(sale, table) == {
            "category": int(str(keys["GSI1PK"]).rpartition("#")[2]),
            "embedding": int(str(keys["GSI2PK"]).rpartition("#")[2]),
        }


def test_the_published_shard_functions_give_the_published_shards() -> None:
    ids = ("sale_abc0", "sale_abc1", "sale_abca")
    assert [get_category_shard(id) for id in ids] == [8, 9, 7]
    # Not 2, 1 and 4, as the document prints: its own algorithm gives these.
    assert [get_embedding_shard(id) for id in ("prod_123", "prod_abc", "f47ac10b")] == [0, 1, 0]


def test_a_record_is_completed_with_its_season_and_its_times() -> None:
    fields = {
        name: value
        for name, value in EXAMPLE.items()
        if name not in ("season", "created_at", "updated_at")
    }
    now = datetime(2025, 12, 29, 10, 15, tzinfo=UTC)
    assert create_sales_record(now=now, **fields) == Sale(**EXAMPLE)
    assert create_sales_record(**{**fields, "season": "SUMMER"}).season == "SUMMER"
    with pytest.raises(InvalidRecord) as refused:
        create_sales_record(**{**fields, "sale_date": "2025-02-30", "sale_price": -1})
    assert {problem.field for problem in refused.value.problems} == {"sale_date", "sale_price"}


@pytest.mark.parametrize(
    ("sold", "expires"),
    [
        ("2025-12-29", "2027-12-29"),
        ("2024-02-29", "2026-02-28"),
        ("2023-02-28", "2025-02-28"),
        ("2026-03-01", "2028-03-01"),
    ],
)
def test_a_sale_expires_two_calendar_years_later_at_midnight_utc(sold: str, expires: str) -> None:
    moment = datetime.fromisoformat(expires).replace(tzinfo=UTC)
    assert (
        Sales.__design__.derived(Sale.__entity__, {**EXAMPLE, "sale_date": sold})["ttl"]
        == moment.timestamp()
    )


def test_two_years_are_not_730_days() -> None:
    sold = datetime(2023, 6, 1, tzinfo=UTC)
    expires = Expiry("sale_date", years=2).at("2023-06-01")
    assert expires - sold.timestamp() == 731 * 86400  # 29 February 2024 lies between


def test_expiry_counts_from_moments_too() -> None:
    assert Expiry("at", days=7).at("2025-01-01T00:00:01.000Z") == 1736294401
    assert str(Expiry("at", years=1, days=7)) == "1 calendar years and 7 days after at"


@pytest.mark.parametrize("field", ["tenant", "product_id", "sale_id", "category", "brand"])
def test_no_key_field_may_hold_the_delimiter(field: str) -> None:
    with pytest.raises(InvalidRecord) as refused:
        Sale.__entity__.check({**EXAMPLE, field: "a#b"})
    assert [problem.field for problem in refused.value.problems] == [field]


def test_all_problems_of_a_record_are_told_at_once() -> None:
    wrong = {**EXAMPLE, "sale_price": Decimal("-1"), "sale_date": "2025-02-30", "color": "red"}
    del wrong["category"]
    with pytest.raises(InvalidRecord) as refused:
        Sale.__entity__.check(wrong)
    told = {problem.field: problem.reason for problem in refused.value.problems}
    assert told == {
        "color": "is not a field of Sale",
        "sale_date": "must be a day that exists",
        "sale_price": "must not be negative",
        "category": "is required",
    }


def test_a_pattern_is_an_attribute_of_its_table() -> None:
    assert Sales.category_sales is Sales.__design__.patterns["category_sales"]
    assert Sales.category_sales.name == "category_sales"
