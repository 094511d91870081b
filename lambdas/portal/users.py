"""Users of the portal: the subject of the verified token, and the roles that its groups give."""

from typing import Any, NamedTuple

from lambdas.errors import NotAllowed
from lambdas.http.caller import groups_of, subject_of
from lambdas.portal.contract import ADMINS, READERS, ROLES
from tablewright.catalog.portal.notifications import Notification
from tablewright.model import InvalidValue


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


def user_of(event: Any, *roles: str) -> User:
    """The caller, if he has one of these roles, or any role when none is named."""
    found = User(subject_of(event), frozenset(ROLES).intersection(groups_of(event)))
    needed = roles or (READERS,)
    if not found.has(*needed):
        groups = ROLES if READERS in needed else dict.fromkeys((*needed, ADMINS))
        listed = ", ".join(f"'{name}'" for name in groups)
        raise NotAllowed(f"Only members of one of the groups {listed} may do this.")
    try:
        Notification.user_id.check(found.user_id)  # it becomes part of keys
    except InvalidValue as problem:
        raise NotAllowed(f"The token's claim 'sub' {problem.reason}.") from None
    return found
