"""Who acts in the portal, and as what."""

from typing import NamedTuple

READERS, AUTHORS, APPROVERS, ADMINS = "readers", "authors", "approvers", "admins"
# The groups of the user pool that let somebody in. Whoever is in any of them is a reader.
ROLES = (READERS, AUTHORS, APPROVERS, ADMINS)


class User(NamedTuple):
    """The subject of a token and those of its groups that mean something here.

    >>> User("ada", frozenset({"authors"})).has("readers"), User("ada", frozenset()).has("readers")
    (True, False)
    """

    user_id: str
    roles: frozenset[str]

    def has(self, *roles: str) -> bool:
        """Whether the user has one of these roles; an admin has them all."""
        if ADMINS in self.roles or self.roles.intersection(roles):
            return True
        return READERS in roles and not self.roles.isdisjoint(ROLES)
