"""Least privilege: what a function called is granted to its role, and nothing else is."""

import os
import os.path
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path

from tablewright.testing.privileges.grants import (
    Grant,
    Template,
    found_role,
    grants,
    read_template,
    told,
)
from tablewright.testing.privileges.platform import LOGS_AND_TRACES
from tablewright.testing.privileges.recorder import Action, Recorded, Recorder

# What a function that goes on in another run calls.
ITSELF = "itself"


def least_privilege(
    template: Template | str | Path,
    name: str,
    *,
    names: Mapping[str, str] | None = None,
    platform: Set[str] = frozenset(),
    tags: Mapping[str, str] | None = None,
    calls: Recorder | None = None,
) -> "Privileges":
    """What a role in a template allows, to be held against what is called.

    `template` is that, or the path of its file. `name` is a function's or a role's: the logical id,
    or the name of the construct. `names` says what tests call resources, by their logical ids or by
    the function's variables that tell of them; those that are set when this is called are known.

    `platform` has the actions that AWS itself must be allowed in the function's name, such as
    `QUEUE`; those for logs and traces may be there. With `tags` what is called in sessions with
    these tags counts, and their values stand in for ``${aws:PrincipalTag/...}``. `calls` has what
    was recorded already, such as `rights.calls` of the function that assumes the role.

    Example::

        rights = least_privilege("cdk.out/Shop.template.json", "PlaceOrder")
        with rights.recording():
            handler(event, context)
        rights.assert_exact()
    """
    read = read_template(template)
    role, function = found_role(read, name)
    ids = _ids(read, function, names or {})
    found = grants(read, role, ids)
    return Privileges(name, role, found, platform, tags or {}, calls or Recorder())


class Privileges:
    """What a role allows, beside what was called; made by `least_privilege`."""

    def __init__(
        self,
        name: str,
        role: str,
        granted: Iterable[Grant],
        platform: Set[str],
        tags: Mapping[str, str],
        calls: Recorder,
    ) -> None:
        self._title = f"{name} (role {role})"
        self._demanded = platform
        self._tags = tags
        # What was called: also to be held against another role.
        self.calls = calls
        self._granted = [
            Grant(
                one.action, self._tagged(one.place), one.keys and tuple(map(self._tagged, one.keys))
            )
            for one in granted
        ]

    @contextmanager
    def recording(self) -> Iterator[None]:
        """What is called in the block counts; there may be more blocks."""
        with self.calls.everywhere():
            yield

    @property
    def granted(self) -> set[Action]:
        """All that the function itself may call."""
        return {
            (one.action, one.place)
            for one in self._granted
            if one.action not in self._demanded | LOGS_AND_TRACES
        }

    @property
    def refused(self) -> set[tuple[str, ...]]:
        """What was called and is not granted: actions and places, and keys where those are it.

        So are actions of `platform` that are not granted.
        """
        made = self._made
        calls = {call for call in made.calls if not self._granting(*call)}
        keys = {one for one in made.keys if one[:2] not in calls and not self.allows(*one)}
        missing = self._demanded - {one.action for one in self._granted}
        return {*calls, *keys, *((action,) for action in missing)}

    @property
    def unused(self) -> set[Action]:
        """What is granted and was not called; or not in all the folders that it is granted in."""
        return {grant for grant in self.granted if not _used(grant, self._made)}

    def allows(self, action: str, place: str, key: str) -> bool:
        """Whether a call with this partition key is allowed."""
        return any(
            one.keys is None or any(like(pattern, key) for pattern in one.keys)
            for one in self._granting(action, place)
        )

    def assert_exact(self) -> None:
        """Assert that what was called is granted, and what is granted was called."""
        refused, unused = self.refused, self.unused
        if refused or unused:
            raise AssertionError(
                f"{self._title} is not granted exactly what was called."
                + _lines("called and not granted", refused)
                + _lines("granted and not called", unused)
            )

    @property
    def _made(self) -> Recorded:
        if not self._tags:
            return self.calls
        session = ",".join(f"{name}={value}" for name, value in self._tags.items())
        return self.calls.sessions.get(session, Recorded())

    def _granting(self, action: str, place: str) -> list[Grant]:
        return [
            one
            for one in self._granted
            if like(one.action, action) and action not in self._demanded and like(one.place, place)
        ]

    def _tagged(self, pattern: str) -> str:
        for name, value in self._tags.items():
            pattern = pattern.replace(f"${{aws:PrincipalTag/{name}}}", value)
        return pattern


def like(pattern: str, value: str) -> bool:
    """Whether a value is one of those that a pattern of IAM means."""
    escaped = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(re.fullmatch(escaped, value, re.DOTALL))


def _ids(template: Template, function: str | None, names: Mapping[str, str]) -> dict[str, str]:
    """What tests call resources, by their logical ids."""
    ids = {id: names[id] for id in names if id in template["Resources"]}
    # A role that is assumed is on what the functions are told of.
    functions = [function] if function else list(template["Resources"])
    for one in functions:
        if template["Resources"][one]["Type"] != "AWS::Lambda::Function":
            continue
        for variable, reference in told(template, one).items():
            name = names.get(variable, os.environ.get(variable))
            if reference.startswith("{") and name is not None:
                ids.setdefault(reference.strip("{}").removesuffix(".Arn"), name)
    if function:
        ids[function] = ITSELF
    return ids


def _used(granted: Action, made: Recorded) -> bool:
    allowed, pattern = granted
    places = [
        place for action, place in made.calls if like(allowed, action) and like(pattern, place)
    ]
    if not places or not pattern.endswith("*") or pattern == "*":
        return bool(places)
    # As narrow as can be: what was called is together in no folder below it.
    folder = pattern.rpartition("/")[0].removesuffix("/*")
    return os.path.commonpath(places) == folder


def _lines(title: str, found: Set[tuple[str, ...]]) -> str:
    if not found:
        return ""
    told = (" on ".join(one[:2]) + (f", key {one[2]}" if one[2:] else "") for one in found)
    return f"\n{title}:\n  " + "\n  ".join(sorted(told))
