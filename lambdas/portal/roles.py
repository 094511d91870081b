"""Who is calling: the subject of the verified token, and the groups that he is in."""

from typing import Any

from lambdas.errors import NotAllowed
from lambdas.http.caller import groups_of, subject_of
from lambdas.portal.users import ADMINS, READERS, ROLES, User
from tablewright.catalog.portal.content import user_id
from tablewright.model import InvalidValue

_USER_ID = user_id()


def require(event: Any, *roles: str) -> str:
    """The caller's id, if he has one of these roles, or any role when none is named."""
    return user_of(event, *roles).user_id


def user_of(event: Any, *roles: str) -> User:
    """The caller, if he has one of these roles, or any role when none is named."""
    found = User(subject_of(event), frozenset(ROLES).intersection(groups_of(event)))
    needed = roles or (READERS,)
    if not found.has(*needed):
        raise NotAllowed(f"Only members of one of the groups {_listed(needed)} may do this.")
    try:
        _USER_ID.check(found.user_id)  # it becomes part of keys
    except InvalidValue as problem:
        raise NotAllowed(f"The token's claim 'sub' {problem.reason}.") from None
    return found


def _listed(needed: tuple[str, ...]) -> str:
    groups = ROLES if READERS in needed else dict.fromkeys((*needed, ADMINS))
    return ", ".join(f"'{name}'" for name in groups)
