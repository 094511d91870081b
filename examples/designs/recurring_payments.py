"""Recurring payments: subscriptions with what is due on a day, and the receipts of what was paid.

After the recurring payments in AWS's documentation of DynamoDB. Days are partitions of an index, so
that whoever collects what is due asks for a day, or for all days since the last time.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

from tablewright.model import (
    Collection,
    Date,
    DateText,
    Delete,
    Entity,
    Field,
    Index,
    Key,
    Money,
    Part,
    PartOf,
    Put,
    Query,
    Table,
    Text,
    Update,
)
from tablewright.runtime import Store


class Card(Part):
    """What is charged."""

    token: Field[str] = Text()
    valid_until: Field[date] = Date()


class Subscription(
    Entity,
    key=Key("ACCOUNT#{account}", "SUBSCRIPTION#{sku}"),
    example={
        "account": "a1",
        "sku": "paper",
        "email": "ann@example.com",
        "amount": Decimal("9.90"),
        "card": {"token": "tok_1", "valid_until": date(2028, 1, 31)},
        "next_payment": date(2026, 12, 1),
        "next_reminder": date(2026, 11, 24),
    },
):
    """What an account pays for, when next, and when it is told so, if it wants to be."""

    account: Field[str] = Text()
    sku: Field[str] = Text()
    email: Field[str] = Text()
    amount: Field[Decimal] = Money()
    card: Field[Card] = PartOf(Card)
    next_payment: Field[date] = Date()
    next_reminder: Field[date | None] = Date(default=None)


class Receipt(
    Entity,
    key=Key("ACCOUNT#{account}", "RECEIPT#{due}#{sku}"),
    example={"account": "a1", "sku": "paper", "due": "2026-11-01", "amount": Decimal("9.90")},
):
    """That a payment was made."""

    account: Field[str] = Text()
    sku: Field[str] = Text()
    due: Field[str] = DateText()
    amount: Field[Decimal] = Money()


class RecurringPayments(Table, pk="PK", sk="SK"):
    """Subscriptions of accounts, and their receipts."""

    by_payment = Index(
        pk="next_payment",
        sk="PK",
        keys={Subscription: Key("{next_payment}", "ACCOUNT#{account}")},
    )
    by_reminder = Index(
        pk="next_reminder",
        sk="PK",
        sparse=True,
        keys={Subscription: Key("{next_reminder}", "ACCOUNT#{account}")},
        projects=(Subscription.email, Subscription.amount, Subscription.next_payment),
    )

    subscribe = Put(Subscription, create=True, describes="Begin a subscription.")
    change = Update(Subscription, describes="Change a subscription, or when it is due.")
    cancel = Delete(Subscription, describes="End a subscription.")
    add_receipt = Put(Receipt, create=True, describes="Keep a receipt.")
    subscriptions = Query(Subscription, describes="What an account subscribes to.")
    receipts = Query(
        Receipt,
        range=Receipt.due,
        descending=True,
        describes="Receipts of an account, newest first; of a year, or of a month.",
    )
    account = Collection(Subscription, Receipt, describes="All that there is of an account.")
    due_payments = Query(Subscription, by_payment, describes="What is to be paid on a day.")
    due_reminders = Query(Subscription, by_reminder, describes="Who is to be reminded on a day.")


def pay(store: Store, paid: Subscription, following: date) -> Receipt:
    """Keep the receipt of a payment that is due, once, and put down the following one.

    Raises TransactionRefused where it has been paid, or the subscription has changed.
    """
    due = paid.next_payment
    receipt = Receipt(account=paid.account, sku=paid.sku, due=due.isoformat(), amount=paid.amount)
    store.transact_write(
        store.to_put(RecurringPayments.add_receipt, receipt),
        store.to_update(
            RecurringPayments.change,
            paid,
            Subscription.next_payment.set(following),
            when=Subscription.next_payment == due,
        ),
    )
    return receipt


def overdue(store: Store, since: date, today: date) -> Iterator[Subscription]:
    """What was to be paid from one day to another, day by day."""
    days = [since + timedelta(days=n) for n in range((today - since).days + 1)]
    cursor = None
    while True:
        page = store.query(
            RecurringPayments.due_payments,
            along=("next_payment", [day.isoformat() for day in days]),
            cursor=cursor,
            caller="collector",
        )
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return
