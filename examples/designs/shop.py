"""Shop: customers, and orders with their items; an order takes the stock or is not placed.

After the e-commerce application in Alex DeBrie's *The DynamoDB Book*; the stock, and the lists of
products and by dates, are from the online shop in AWS's documentation of DynamoDB.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum

from tablewright.model import (
    BatchGet,
    BatchPut,
    Check,
    Choice,
    Collection,
    Entity,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Name,
    Part,
    PartOf,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime import Store

_PLACED = datetime(2026, 11, 17, 9, tzinfo=UTC)
_HOME = {"street": "Rue du Bac 1", "city": "Paris"}


class State(Enum):
    PLACED = "PLACED"
    SHIPPED = "SHIPPED"
    CANCELLED = "CANCELLED"


class Address(Part):
    """Where an order goes."""

    street: Field[str] = Name()
    city: Field[str] = Name()


class Customer(
    Entity,
    key=Key("CUSTOMER#{customer}", "PROFILE"),
    example={"customer": "ann", "name": "Ann Archer", "addresses": [_HOME]},
):
    """A customer with any number of addresses."""

    customer: Field[str] = Text()
    name: Field[str] = Name()
    addresses: Field[tuple[Address, ...]] = ListOf(PartOf(Address), max_items=10, default=())


class Product(
    Entity,
    key=Key("PRODUCT#{product}", "PRODUCT"),
    example={"product": "p1", "category": "tea", "title": "Assam", "price": Decimal(9), "left": 5},
):
    """A product, and how many of it are left."""

    product: Field[str] = Text()
    category: Field[str] = Text()
    title: Field[str] = Name()
    price: Field[Decimal] = Money()
    left: Field[int] = Whole()


class Order(
    Entity,
    key=Key("ORDER#{order_id}", "ORDER"),
    example={
        "order_id": "o1",
        "customer": "ann",
        "placed_at": _PLACED,
        "total": Decimal(18),
        "ship_to": _HOME,
    },
):
    """An order."""

    order_id: Field[str] = Text(max_length=36)
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp(resolution="ms")
    total: Field[Decimal] = Money()
    ship_to: Field[Address] = PartOf(Address)
    state: Field[State] = Choice(State, default=State.PLACED)


class Item(
    Entity,
    key=Key("ORDER#{order_id}", "ORDER#ITEM#{product}"),  # after its order
    example={
        "order_id": "o1",
        "product": "p1",
        "placed_at": _PLACED,
        "pieces": 2,
        "price": Decimal(9),
    },
):
    """A product in an order, at the price of its day."""

    order_id: Field[str] = Text(max_length=36)
    product: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp(resolution="ms")
    pieces: Field[int] = Whole(lowest=1)
    price: Field[Decimal] = Money()


class Shop(Table, pk="PK", sk="SK"):
    """Customers, products, and orders with their items."""

    # Read backwards, a customer comes first and then the newest orders: P is after O.
    by_customer = Index(
        pk="CPK",
        sk="CSK",
        keys={
            Customer: Key("CUSTOMER#{customer}", "PROFILE"),
            Order: Key("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}"),
        },
    )
    by_product = Index(pk="product", sk="placed_at", keys={Item: Key("{product}", "{placed_at}")})
    by_category = Index(pk="category", sk="title", keys={Product: Key("{category}", "{title}")})

    register = Put(Customer, create=True, describes="Register a customer.")
    change_customer = Update(Customer, describes="Change a customer, or add an address.")
    customer_exists = Check(Customer, describes="See, while ordering, that a customer is there.")
    customer_with_orders = Collection(
        Customer,
        Order,
        index=by_customer,
        descending=True,
        describes="A customer, and the customer's orders, newest first.",
    )
    orders_of_customer = Query(
        Order,
        by_customer,
        range=Order.placed_at,
        descending=True,
        describes="Orders of a customer between two dates, newest first.",
    )
    stock = BatchPut(Product, describes="Put products into the catalogue.")
    products = BatchGet(Product, describes="The products of a basket.")
    of_category = Query(
        Product,
        by_category,
        range=Product.title,
        describes="A category by title, or its beginning.",
    )
    take = Update(Product, describes="Take from the stock, or put back.")
    place = Put(Order, create=True, describes="Place an order.")
    add_item = Put(Item, create=True, describes="Add an item to an order that is being placed.")
    order = Get(Order, describes="An order without its items.")
    change_order = Update(Order, describes="Ship or cancel an order.")
    order_with_items = Collection(Order, Item, describes="An order and its items.")
    sales_of_product = Query(
        Item, by_product, range=Item.placed_at, describes="Sales of a product between two dates."
    )


def place_order(store: Store, order: Order, items: Sequence[Item]) -> None:
    """Place an order and take its items from the stock: all of it, or nothing.

    Raises TransactionRefused, with what is wrong, where a product has too few left. Repeated within
    ten minutes, it is the same order.
    """
    store.transact_write(
        store.to_put(Shop.place, order),
        *(store.to_put(Shop.add_item, item) for item in items),
        *(
            store.to_update(
                Shop.take,
                {"product": item.product},
                Product.left.add(-item.pieces),
                when=Product.left >= item.pieces,
            )
            for item in items
        ),
        store.to_check(Shop.customer_exists, customer=order.customer),
        token=order.order_id,
    )


def cancel_order(store: Store, order_id: str) -> None:
    """Cancel an order that has not been shipped, and put its items back."""
    items = [
        one for one in store.each(Shop.order_with_items, order_id=order_id) if isinstance(one, Item)
    ]
    store.transact_write(
        store.to_update(
            Shop.change_order,
            {"order_id": order_id},
            Order.state.set(State.CANCELLED),
            when=Order.state == State.PLACED,
        ),
        *(
            store.to_update(Shop.take, {"product": item.product}, Product.left.add(item.pieces))
            for item in items
        ),
    )
