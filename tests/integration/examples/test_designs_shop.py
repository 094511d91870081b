"""Orders that take the stock or are not placed, and payments that are due on a day."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest

from examples.designs.recurring_payments import (
    Card,
    Receipt,
    RecurringPayments,
    Subscription,
    overdue,
    pay,
)
from examples.designs.shop import (
    Address,
    Customer,
    Item,
    Order,
    Product,
    Shop,
    State,
    cancel_order,
    place_order,
)
from tablewright.runtime import Store, TransactionRefused
from tablewright.testing import Database
from tests.integration.conftest import TODAY

DAY = timedelta(days=1)
HOME = Address(street="Rue du Bac 1", city="Paris")
RUN = uuid4().hex[:8]  # a transaction's token is remembered for longer than a test lasts


def order(number: int, customer: str = "ann", day: int = 0) -> Order:
    return Order(
        order_id=f"{RUN}-{number}",
        customer=customer,
        placed_at=TODAY + day * DAY,
        total=Decimal(9),
        ship_to=HOME,
    )


def items(of: Order, **pieces: int) -> list[Item]:
    return [
        Item(
            order_id=of.order_id,
            product=product,
            placed_at=of.placed_at,
            pieces=number,
            price=Decimal("4.50"),
        )
        for product, number in pieces.items()
    ]


@pytest.fixture
def shop(dynamodb: Database) -> Store:
    store = dynamodb.store(Shop)
    for customer in ("ann", "anna"):
        store.put(Shop.register, Customer(customer=customer, name="Ann", addresses=(HOME,)))
    catalogue = (("assam", "tea"), ("ass", "tea"), ("darjeeling", "tea"), ("assiette", "teapots"))
    store.put_many(
        Shop.stock,
        [
            Product(product=name, category=category, title=name, price=Decimal("4.50"), left=5)
            for name, category in catalogue
        ],
    )
    return store


def left(store: Store, product: str) -> int:
    (found,) = store.get_many(Shop.products, [{"product": product}])
    return found.left


def test_an_order_is_read_with_its_items_and_no_others(shop: Store) -> None:
    one, ten = order(1), order(10)
    place_order(shop, one, items(one, darjeeling=1, assam=2))
    place_order(shop, ten, items(ten, assam=1))
    found = list(shop.each(Shop.order_with_items, order_id=one.order_id))
    assert found == [one, *items(one, assam=2, darjeeling=1)]
    assert [type(each) for each in found] == [Order, Item, Item]
    assert shop.get(Shop.order, order_id=ten.order_id) == ten
    assert (left(shop, "assam"), left(shop, "darjeeling"), left(shop, "ass")) == (2, 4, 5)


def test_an_order_of_too_much_leaves_nothing(shop: Store, dynamodb: Database) -> None:
    before, large = dynamodb.items(), order(2)
    with pytest.raises(TransactionRefused) as refused:
        place_order(shop, large, items(large, assam=5, darjeeling=6))
    assert list(refused.value.problems) == [4]
    stranger = order(3, "an")
    with pytest.raises(TransactionRefused) as refused:
        place_order(shop, stranger, items(stranger, assam=1))
    assert list(refused.value.problems) == [3]
    assert dynamodb.items() == before


def test_of_eight_who_want_the_last_five_five_get_one(shop: Store) -> None:
    def attempt(number: int) -> bool:
        one = order(20 + number)
        try:
            place_order(shop, one, items(one, assam=1))
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 5
    assert left(shop, "assam") == 0
    assert shop.count(Shop.sales_of_product, product="assam") == 5


def test_an_order_that_is_placed_twice_is_one_and_is_cancelled_once(shop: Store) -> None:
    one = order(30)
    for _ in range(2):
        place_order(shop, one, items(one, assam=2))
    assert left(shop, "assam") == 3
    cancel_order(shop, one.order_id)
    assert left(shop, "assam") == 5
    with pytest.raises(TransactionRefused):
        cancel_order(shop, one.order_id)
    assert left(shop, "assam") == 5
    sent = order(31)
    place_order(shop, sent, items(sent, assam=1))
    shop.update(Shop.change_order, sent, {"state": State.SHIPPED})
    with pytest.raises(TransactionRefused):
        cancel_order(shop, sent.order_id)


def test_orders_of_a_customer_and_sales_of_a_product_between_dates(shop: Store) -> None:
    orders = [order(40 + day, day=day) for day in range(4)]
    other = order(50, "anna", day=1)
    for one in (*orders, other):
        place_order(shop, one, items(one, **{"assam" if one.customer == "ann" else "ass": 1}))
    customer, *newest = shop.query(Shop.customer_with_orders, customer="ann", limit=3).items
    assert isinstance(customer, Customer)
    assert newest == [orders[3], orders[2]]
    of_ann = {"customer": "ann"}
    between = shop.each(Shop.orders_of_customer, of_ann, since=TODAY + DAY, before=TODAY + 3 * DAY)
    assert list(between) == [orders[2], orders[1]]
    placed = shop.each(
        Shop.orders_of_customer,
        of_ann,
        where=Order.state.is_in(State.PLACED, State.SHIPPED) & (Order.total <= 9),
    )
    assert list(placed) == orders[::-1]
    sold = shop.each(Shop.sales_of_product, product="assam", after=TODAY, until=TODAY + 2 * DAY)
    assert [one.order_id for one in sold] == [orders[1].order_id, orders[2].order_id]


def test_products_of_a_category_are_found_by_the_beginning_of_their_titles(shop: Store) -> None:
    found = shop.each(Shop.of_category, category="tea", begins_with="ass")
    assert [one.title for one in found] == ["ass", "assam"]
    assert shop.count(Shop.of_category, category="tea") == 3


def test_a_customer_has_one_more_address_and_a_better_one(shop: Store) -> None:
    key = {"customer": "ann"}
    shop.update(
        Shop.change_customer, key, Customer.addresses.append(Address(street="Foro 1", city="Rom"))
    )
    shop.update(
        Shop.change_customer,
        key,
        Customer.addresses.at(1, Address.city).set("Roma"),
        when=Customer.addresses.at(1, Address.city) == "Rom",
    )
    (customer,) = shop.each(Shop.customer_with_orders, key)
    assert isinstance(customer, Customer)
    assert customer.addresses == (HOME, Address(street="Foro 1", city="Roma"))


def subscription(account: str, sku: str, day: int, *, remind: bool = True) -> Subscription:
    due = date(2026, 12, day)
    return Subscription(
        account=account,
        sku=sku,
        email=f"{account}@example.com",
        amount=Decimal("9.90"),
        card=Card(token="t", valid_until=date(2030, 1, 1)),
        next_payment=due,
        next_reminder=due - 7 * DAY if remind else None,
    )


PAPER, RADIO = subscription("a1", "paper", 1), subscription("a1", "radio", 2, remind=False)
OTHERS = [
    subscription("a10", "paper", 1),
    subscription("a2", "paper", 2),
    subscription("a3", "paper", 4),
]


@pytest.fixture
def payments(dynamodb: Database) -> Store:
    store = dynamodb.store(RecurringPayments)
    for one in (PAPER, RADIO, *OTHERS):
        store.put(RecurringPayments.subscribe, one)
    return store


def test_what_is_due_is_found_by_its_day(payments: Store) -> None:
    first = payments.each(RecurringPayments.due_payments, next_payment=date(2026, 12, 1))
    assert list(first) == [PAPER, OTHERS[0]]
    reminded = payments.each(RecurringPayments.due_reminders, next_reminder=date(2026, 11, 25))
    assert [one.email for one in reminded] == ["a2@example.com"]
    found = list(overdue(payments, date(2026, 12, 1), date(2026, 12, 3)))
    assert sorted(one.account for one in found) == ["a1", "a1", "a10", "a2"]
    assert [one.next_payment.day for one in found] == [1, 1, 2, 2]


def test_a_payment_is_made_once(payments: Store) -> None:
    january = date(2027, 1, 1)
    receipt = pay(payments, PAPER, january)
    with pytest.raises(TransactionRefused):
        pay(payments, PAPER, january)
    due = payments.each(RecurringPayments.due_payments, next_payment=january)
    assert [one.sku for one in due] == ["paper"]
    assert list(payments.each(RecurringPayments.receipts, account="a1")) == [receipt]
    assert list(payments.each(RecurringPayments.receipts, account="a10")) == []


def test_an_account_has_its_subscriptions_and_its_receipts_by_year(payments: Store) -> None:
    receipts = [
        Receipt(account="a1", sku="paper", due=due, amount=Decimal("9.90"))
        for due in ("2025-12-01", "2026-01-01", "2026-11-01")
    ]
    for one in receipts:
        payments.put(RecurringPayments.add_receipt, one)
    year = payments.each(RecurringPayments.receipts, account="a1", begins_with="2026-")
    assert list(year) == [receipts[2], receipts[1]]
    assert list(payments.each(RecurringPayments.subscriptions, account="a1")) == [PAPER, RADIO]
    everything = list(payments.each(RecurringPayments.account, account="a1"))
    assert everything == [*receipts, PAPER, RADIO]
    payments.delete(RecurringPayments.cancel, RADIO)
    assert list(payments.each(RecurringPayments.subscriptions, account="a1")) == [PAPER]


def test_whoever_wants_no_reminder_is_not_in_their_index(payments: Store) -> None:
    payments.update(RecurringPayments.change, PAPER, {"next_reminder": None})
    day = {"next_reminder": date(2026, 11, 24)}
    assert [one.account for one in payments.each(RecurringPayments.due_reminders, day)] == ["a10"]
