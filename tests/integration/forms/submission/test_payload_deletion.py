"""Deletion of payloads: an item that is removed takes its object with it, and nothing else's."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.intake import SentForm, SubmissionIntake, SubmissionResult
from tablewright.catalog.forms.design import Forms
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError, Unavailable
from tablewright.testing import Crash, Fault, Faulty, survives_every_fault
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.metrics.streaming import Stream, everything, sequence
from tests.integration.forms.submission.submitting import BUCKET, NOON

STREAMED = True

LARGE = b'{"file":"' + Random(1).randbytes(20_000).hex().encode() + b'"}'
SMALL = b'{"name":"Ada"}'


class World:
    """A form table with its stream and its bucket, and requests by their keys."""

    def __init__(self, forms: FormTable) -> None:
        forms.clock.moment = NOON
        self.forms = forms
        self.stream = Stream(forms)
        self.edge = self.stream.dynamo

    def take(self, key: str, body: bytes = LARGE, caller: Caller | None = None) -> SubmissionResult:
        edge = caller or self.edge
        submissions = SubmissionIntake(
            self.forms.store(edge), PayloadCompressionManager(edge, BUCKET)
        )
        sent = SentForm("acme", "contact", "application/json", body, key)
        return submissions.take(sent, {}, NOON, None)

    def remove(self, taken: SubmissionResult) -> None:
        key = {"tenant_id": "acme", "submission_id": taken.submission_id}
        self.forms.store().delete(Forms.delete_submission, key)

    def expire_requests(self) -> None:
        self.forms.database.empty(of=lambda item: bool(item["SK"]["S"] == "REQUEST"))

    def removals(self) -> list[Any]:
        return [one for one in self.stream.records() if one["eventName"] == "REMOVE"]

    def places(self) -> set[str]:
        return set(self.edge.objects)


@pytest.fixture
def world(forms: FormTable) -> World:
    return World(forms)


def place(taken: SubmissionResult) -> str:
    return f"acme/{taken.submission_id}"


def test_a_removed_submission_takes_its_object_with_it_and_stays_counted(world: World) -> None:
    gone, kept = world.take("gone"), world.take("kept")
    small = world.take("small", SMALL)
    assert world.places() == {place(gone), place(kept)}
    world.remove(gone)
    world.remove(small)
    assert len(world.removals()) == 1  # what has no object does not even reach the function
    for _ in range(2):
        assert world.stream.deliver() == []
        assert world.places() == {place(kept)}
    counts = world.stream.counts()["acme", "2099-01-26"]
    assert counts["submission_count"] == 3


def test_only_removals_that_leave_an_object_reach_the_function(world: World) -> None:
    gone = world.take("gone")
    store = world.forms.store()
    key = {"tenant_id": "acme", "submission_id": gone.submission_id}
    store.update(Forms.update_submission, key, {"status": "DELIVERED"})
    world.take("small", SMALL)
    world.remove(gone)
    world.expire_requests()
    passed = [(one["eventName"], one["dynamodb"]["Keys"]["SK"]["S"][:4]) for one in
              world.stream.records()]  # fmt: skip
    assert sorted(passed) == [("INSERT", "SUB#")] * 2 + [("REMOVE", "REQU"), ("REMOVE", "SUB#")]
    assert len(everything(world.forms.database)) > len(passed)


def test_a_fault_at_any_call_and_the_retry_remove_what_must_go(world: World) -> None:
    gone = [world.take(str(number)) for number in range(3)]
    kept = world.take("kept")
    objects = dict(world.edge.objects)
    for one in gone:
        world.remove(one)
    records = world.stream.records()

    def fresh() -> Caller:
        world.stream.forget()
        world.edge.objects = dict(objects)
        return world.edge

    def work(caller: Caller) -> None:
        world.stream.deliver(records, caller)

    def outcome() -> Any:
        return world.places(), world.stream.counts()

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 4 + 2 * len(gone)
    assert world.places() == {place(kept)}


def test_a_redrive_forgets_but_not_what_has_been_restored(world: World) -> None:
    gone, restored = world.take("gone"), world.take("restored")
    items = {i["SK"]["S"]: i for i in world.forms.database.items()}
    world.remove(gone)
    world.remove(restored)
    records = world.removals()
    world.forms.database.write([items[f"SUB#{restored.submission_id}"]])
    for _ in range(2):
        assert world.stream.redrive(records) == []
        assert world.places() == {place(restored)}


@pytest.mark.parametrize("foreign", [{"S": "globex/1"}, {"S": "acme/other"}, {"N": "1"}])
def test_an_item_that_names_the_object_of_another_is_refused(world: World, foreign: Any) -> None:
    gone = world.take("gone")
    before = world.places()
    world.remove(gone)
    (record,) = world.removals()
    poison = deepcopy(record)
    poison["dynamodb"]["OldImage"]["payload_key"] = foreign
    assert world.stream.deliver([poison]) == [sequence(poison)]
    assert world.stream.redrive([poison]) == [sequence(poison)]
    assert world.places() == before


def test_a_repetition_stores_nothing_again_that_was_removed(world: World) -> None:
    gone = world.take("key")
    world.remove(gone)
    world.stream.deliver()
    again = world.take("key")
    assert again == SubmissionResult(gone.submission_id, None, True)
    assert world.places() == set()
    assert not [i for i in world.forms.database.items() if i["SK"]["S"].startswith("SUB#")]


@pytest.mark.parametrize("operation", ["GetItem", "PutObject", "TransactWriteItems"])
def test_a_slow_request_cannot_bring_back_what_was_stored_and_removed(
    world: World, operation: str
) -> None:
    """Before any of its calls, another finishes the same request, and the submission is removed:
    there is neither an item without its payload nor a payload without its item."""
    stored: list[SubmissionResult] = []

    def meanwhile() -> None:
        stored.append(world.take("key"))
        world.remove(stored[0])
        world.stream.deliver()

    slow = Interrupted(world.edge, operation, meanwhile)
    if operation == "GetItem":  # which only a repetition does, after its claim
        with pytest.raises(Crash):
            world.take("key", caller=Faulty(world.edge, Fault(1, "crash after")))
    assert world.take("key", caller=slow).submission_id == stored[0].submission_id
    assert world.places() == set()
    assert not [i for i in world.forms.database.items() if i["SK"]["S"].startswith("SUB#")]


def test_an_object_whose_request_never_became_a_submission_goes_with_the_request(
    world: World,
) -> None:
    kept = world.take("kept")
    calls = Faulty(world.edge)
    world.take("counted", caller=calls)
    for at in range(calls.calls):
        with pytest.raises(Crash):
            world.take(f"dies at {at}", caller=Faulty(world.edge, Fault(at, "crash before")))
    assert len(world.places()) > 2
    world.expire_requests()
    assert world.stream.deliver() == []
    living = {f"acme/{i['submission_id']['S']}" for i in world.forms.database.items()
              if i["SK"]["S"].startswith("SUB#")}  # fmt: skip
    assert place(kept) in world.places() == living


def test_a_request_whose_claim_ends_on_the_way_is_to_be_repeated(world: World) -> None:
    slow = Interrupted(world.edge, "TransactWriteItems", world.expire_requests)
    with pytest.raises(Unavailable, match="claim"):
        world.take("key", caller=slow)
    assert world.places() == set()
    done = world.take("key")
    assert world.places() == {place(done)}


def test_a_claim_is_marked_when_its_submission_is_stored(world: World) -> None:
    taken = world.take("key")
    (request,) = [i for i in world.forms.database.items() if i["SK"]["S"] == "REQUEST"]
    assert request["payload_key"] == {"S": place(taken)}
    assert "stored_at" in request
    world.take("small", SMALL)
    plain = [i for i in world.forms.database.items() if i["SK"]["S"] == "REQUEST"]
    assert sum("payload_key" in one for one in plain) == 1


def test_an_object_stays_as_long_as_its_item_when_the_request_is_forgotten(world: World) -> None:
    taken = world.take("key")
    world.expire_requests()
    assert world.stream.deliver() == []
    assert world.places() == {place(taken)}


class Interrupted:
    """Something happens once, right before the first call of an operation."""

    def __init__(self, caller: Caller, operation: str, meanwhile: Any) -> None:
        self._caller = caller
        self._operation = operation
        self._meanwhile = meanwhile

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == self._operation and self._meanwhile:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        return self._caller.call(operation, params)


@pytest.mark.parametrize("error", [StoreError("of this one"), Unavailable("for a while")])
def test_an_object_that_cannot_be_removed_keeps_no_other(world: World, error: StoreError) -> None:
    taken = [world.take(str(number)) for number in range(3)]
    for one in taken:
        world.remove(one)

    class Locked:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "DeleteObject" and params["Key"] == place(taken[1]):
                raise error
            return world.edge.call(operation, params)

    removals = world.removals()
    if isinstance(error, Unavailable):
        with pytest.raises(Unavailable):
            world.stream.deliver(removals, Locked())
    else:
        assert world.stream.keep(removals, Locked()) == [sequence(removals[1])]
    assert world.places() == {place(taken[1])}
    assert world.stream.deliver(removals) == []
    assert world.places() == set()
