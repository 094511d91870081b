"""Unique e-mail addresses: each belongs to one user, whoever asks for it at the same time.

After the AWS Database Blog's *Simulating Amazon DynamoDB unique constraints using transactions*: a
second item claims the address, and both are written together.
"""

from tablewright.model import (
    Check,
    Computed,
    Delete,
    Entity,
    Field,
    Get,
    Key,
    Name,
    Put,
    Table,
    Text,
    Update,
)
from tablewright.runtime import NotFound, Store


def _folded(email: str) -> str:
    return email.casefold()


class User(
    Entity,
    key=Key("USER#{user_id}"),
    example={"user_id": "u1", "email": "Ann@Example.com", "name": "Ann Archer"},
):
    """A user."""

    user_id: Field[str] = Text(max_length=36)
    email: Field[str] = Text(pattern=r"[^@#\s]+@[^@#\s]+", form="an e-mail address")
    name: Field[str] = Name()


class Claim(
    Entity,
    key=Key("EMAIL#{folded}"),
    example={"email": "Ann@Example.com", "user_id": "u1"},
):
    """Whose an address is, in whatever case it is written."""

    email: Field[str] = Text(pattern=r"[^@#\s]+@[^@#\s]+", form="an e-mail address")
    user_id: Field[str] = Text(max_length=36)
    folded = Computed(_folded, email, max_length=300)


class UniqueEmails(Table, pk="PK"):
    """Users, and the addresses that are theirs."""

    put_user = Put(User, create=True, describes="Make a user.")
    user = Get(User, consistent=True, describes="A user.")
    change_user = Update(User, describes="Change a user.")
    drop_user = Delete(User, describes="Remove a user.")
    claim = Put(Claim, create=True, describes="Claim an address that is free.")
    owner = Get(Claim, consistent=True, describes="Whose an address is.")
    is_own = Check(Claim, describes="See, while writing, whose an address is.")
    release = Delete(Claim, describes="Give an address back.")


def sign_up(store: Store, user: User) -> None:
    """Make a user; raises TransactionRefused where the id or the address is taken."""
    store.transact_write(
        store.to_put(UniqueEmails.put_user, user),
        store.to_put(UniqueEmails.claim, Claim(email=user.email, user_id=user.user_id)),
    )


def change_email(store: Store, user: User, email: str) -> None:
    """Give a user another address; raises TransactionRefused where it is taken.

    The same where the user has got yet another one since it was read.
    """
    key, own = {"email": user.email}, Claim.user_id == user.user_id
    if _folded(email) == _folded(user.email):
        claims = [store.to_check(UniqueEmails.is_own, key, when=own)]  # another spelling of it
    else:
        claims = [
            store.to_put(UniqueEmails.claim, Claim(email=email, user_id=user.user_id)),
            store.to_delete(UniqueEmails.release, key, when=own, missing_ok=False),
        ]
    changed, unchanged = User.email.set(email), User.email == user.email
    store.transact_write(
        store.to_update(UniqueEmails.change_user, user, changed, when=unchanged), *claims
    )


def close_account(store: Store, user_id: str) -> None:
    """Remove a user and give the address back."""
    user = store.get(UniqueEmails.user, user_id=user_id)
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    store.transact_write(
        store.to_delete(UniqueEmails.drop_user, user, when=User.email == user.email),
        store.to_delete(UniqueEmails.release, email=user.email, when=Claim.user_id == user_id),
    )
