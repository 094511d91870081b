"""Tenants: the same work done for several, none of which is shown anything of another."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from tablewright.model import Design, Table
from tablewright.model.errors import KeyMismatch
from tablewright.testing.edges.calls import AwsCall, Proceed, Watcher
from tablewright.testing.edges.requests import Item, TableRequest, requests, wire_item

# Whose an item or its key is, in values of Python; None where it is nobody's in particular.
Belongs = Callable[[Mapping[str, Any]], str | None]

_EXCERPT = 60
# They name no key: a filter is applied to what was read, which is everybody's.
_OF_ALL = ("Scan", "PartiQLSelect")


def isolated(
    work: Callable[[str], object],
    tenants: Sequence[str] | Mapping[str, Collection[str]] = ("acme", "bolt"),
    *,
    tables: Mapping[str, type[Table]] | None = None,
    belongs: Belongs | None = None,
    shared: Collection[str] = (),
) -> None:
    """Assert that work for one tenant neither touches nor is shown what is another's.

    `work` does all that there is to do for the tenant that it is given, and gives what that tenant
    is answered. It is done for all `tenants`, and again when the others have data too, so it must
    be such that can be done twice. A tenant is known by its name, or by the texts that are given
    with it, which must be nobody else's: no call of AWS may have one of another, nor its answer,
    nor what the work gives.

    Of `tables` with a design every key is held to the tenant in it; of others, each item and key is
    whose `belongs` says. A scan reads everybody's items, and is found, but for tables in `shared`.

    Example::

        def work(tenant: str) -> object:
            handler(request("POST", "/orders", order, tenant=tenant), context)
            return handler(request("GET", "/orders", tenant=tenant), context)

        isolated(work, ["acme", "bolt"], tables={"orders": Orders})
    """
    marks = tenants if isinstance(tenants, Mapping) else {name: (name,) for name in tenants}
    if len(marks) < 2:
        raise ValueError("name two tenants or more: one has nobody to be kept apart from")
    designs = {name: table.__design__ for name, table in (tables or {}).items()}
    # The last one comes when all others have been there.
    for tenant in (*marks, *list(marks)[:-1]):
        guard = _Guard(tenant, marks, designs, belongs, shared)
        with Watcher(guard.watch).everywhere():
            answer = work(tenant)
        guard.look_at(answer, f"what the work gave {tenant!r}")
        guard.end()


class _Guard:
    """Looks at what is called for one tenant, and keeps what is another's."""

    def __init__(
        self,
        tenant: str,
        marks: Mapping[str, Collection[str]],
        designs: Mapping[str, Design],
        belongs: Belongs | None,
        shared: Collection[str],
    ) -> None:
        self._tenant = tenant
        self._designs = designs
        self._belongs = belongs
        self._shared = shared
        self._whose = {mark: name for name, texts in marks.items() for mark in texts}
        # The longest first: who is called acme-2 is not acme.
        longest = sorted(self._whose, key=len, reverse=True)
        self._any = re.compile("|".join(map(re.escape, longest)))
        self._own = False
        self._found: list[str] = []

    def watch(self, call: AwsCall, proceed: Proceed) -> Any:
        """Carry out a call, and look at it and at its answer."""
        self._look_at_tables(call)
        self.look_at(call.params, str(call))
        answer = proceed(call.operation, call.params)
        told = f"the answer to {call}"
        self.look_at(answer, told)
        for item in _items(answer):
            self._look_at_item(item, told)
        return answer

    def look_at(self, what: object, told: str) -> None:
        """Find texts of others in what was sent, or answered."""
        text = repr(what)
        for match in self._any.finditer(text):
            owner = self._whose[match[0]]
            self._meet(owner, f"{told}: ...{_around(text, match)}...")

    def end(self) -> None:
        """Raise for what is another's; and where nothing was the tenant's own."""
        if self._found:
            shown = "\n".join(dict.fromkeys(self._found))
            raise AssertionError(f"{self._tenant!r} is not kept apart:\n{shown}")
        if not self._own:
            raise AssertionError(
                f"nothing that was called or answered is known to be of {self._tenant!r}: have the "
                "work store something under its name, or tell by `belongs` what is whose"
            )

    def _look_at_tables(self, call: AwsCall) -> None:
        if call.service != "dynamodb":
            return
        for one in requests(call.operation, call.params):
            if one.action in _OF_ALL and one.table not in self._shared:
                self._found.append(f"{call}: reads the items of all tenants")
            elif one.table in self._designs:
                self._look_at_key(one, self._designs[one.table], str(call))
            elif one.item is not None:
                self._look_at_item(one.item, str(call))

    def _look_at_key(self, one: TableRequest, design: Design, told: str) -> None:
        key = one.value(design.key_attributes(one.index).partition[0])
        if key is None or one.table in self._shared:
            return
        owners = set(_owners(design, one.index, str(key)))
        # Entities whose keys look alike may read it otherwise: it is enough that one may be his.
        for owner in owners if self._tenant not in owners else {self._tenant}:
            self._meet(owner, f"{told}: key {key}")

    def _look_at_item(self, item: Item, told: str) -> None:
        if self._belongs is None:
            return
        plain = {name: TypeDeserializer().deserialize(value) for name, value in item.items()}
        owner = self._belongs(plain)
        if owner is not None:
            self._meet(owner, f"{told}: {plain}")

    def _meet(self, owner: str | None, told: str) -> None:
        if owner == self._tenant:
            self._own = True
        elif owner is not None:
            self._found.append(f"of {owner!r}: {told}")


def _owners(design: Design, index: str | None, key: str) -> Iterator[str | None]:
    """Whose a partition key may be, by the entities that have such; None for everybody's."""
    for entity in design.entity_list:
        form = entity.indexed.get(index) if index else entity.key
        if form is None:
            continue
        try:
            parsed = form.partition[0].parse(key)
        except KeyMismatch:
            continue
        yield None if form.shared or design.tenant is None else parsed.get(design.tenant)


def _items(answer: Any) -> Iterator[Item]:
    """The items of an answer of DynamoDB, in its form."""
    if not isinstance(answer, dict):
        return
    single = [answer[name] for name in ("Item", "Attributes") if answer.get(name)]
    batches = answer.get("Responses", [])
    if isinstance(batches, dict):
        many = [item for part in batches.values() for item in part]
    else:
        many = [one["Item"] for one in batches if one.get("Item")]
    yield from map(wire_item, (*single, *many, *answer.get("Items", [])))


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _EXCERPT) : match.end() + _EXCERPT]
