"""Deliveries: fanned out, attempted, retried, given up, redelivered; each attempt recorded once."""

import random
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.delivery.attempts import CLAIM, PATIENCE, POSTPONED, SUPERSEDED
from lambdas.forms.delivery.fan_out import SubmissionMissing
from lambdas.forms.delivery.redelivery import NotRedeliverable
from lambdas.forms.destinations.shipment import DeliveryOutcome
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt
from tablewright.catalog.forms.tenants import Destination
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import NotFound, Unavailable
from tests.integration.forms.conftest import FormTable, key_of, submission
from tests.integration.forms.delivery.deliveries import BUSY, Scripted, World, archive, webhook

REFUSED = DeliveryOutcome("the destination answered 422", response_status=422)
GONE = DeliveryOutcome("the destination answered 410", response_status=410, disables=True)


@pytest.fixture
def world(forms: FormTable) -> World:
    return World(forms)


def test_a_submission_goes_to_every_destination_of_its_form_and_to_no_other(world: World) -> None:
    world.tenant("acme", webhook("crm"), archive())
    example = Destination.__entity__.example
    world.store.put(Forms.put_destination, Destination(**{**example, "destination_id": "other"}))
    made = world.submit()
    world.drain()
    assert world.attempts(made) == [("archive", 1, "SUCCEEDED"), ("crm", 1, "SUCCEEDED")]
    assert world.status(made) == "DELIVERED"
    (key,) = world.cloud.objects
    assert key == ("acme-archive", f"acme/forms/contact/2025/01/26/{made['submission_id']}")


def test_a_destination_is_told_the_type_that_the_sender_named(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted()
    world.submit(content_type="application/x-www-form-urlencoded", data=b"1", original_size=1)
    world.submit(1, content_type=None)
    world.drain()
    told = [one.content_type for one in world.webhook.shipments]
    assert told == ["application/x-www-form-urlencoded", "application/json"]


def test_failures_are_retried_after_growing_waits_and_recorded_by_number(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(BUSY, BUSY)
    made = world.submit()
    world.drain()
    assert world.attempts(made) == [
        ("crm", 1, "RETRYING"),
        ("crm", 2, "RETRYING"),
        ("crm", 3, "SUCCEEDED"),
    ]
    assert world.status(made) == "DELIVERED"
    assert world.cloud.delays == [0, 8, 15]  # half of 15 and of 30 seconds, in whole ones
    key = {**key_of(made), "destination_id": "crm"}
    first = world.store.get(Forms.get_attempt, {**key, "attempt_num": 1})
    assert first is not None
    assert first["error"] == "the destination answered 503"
    assert first["response_status"] == 503
    assert "claimed_by" not in first
    assert first["next_attempt_at"] > first["timestamp"]


def test_after_eight_attempts_it_is_given_up_and_no_operator_is_called(world: World) -> None:
    world.tenant("acme", webhook(), archive())
    world.webhook = Scripted(*[BUSY] * 20)
    made = world.submit()
    world.drain()
    of_crm = [(number, status) for id, number, status in world.attempts(made) if id == "crm"]
    assert of_crm == [*((n, "RETRYING") for n in range(1, 8)), (8, "FAILED")]
    assert world.status(made) == "FAILED"
    assert world.dead == []
    assert len(world.webhook.shipments) == 8


def test_a_submission_has_not_failed_while_a_destination_is_open(world: World) -> None:
    world.tenant("acme", webhook(), archive())
    world.webhook = Scripted(REFUSED)
    world.change("archive", paused_until=world.clock.moment + timedelta(hours=1))
    made = world.submit()
    for _ in range(3):
        world.step()
    assert world.attempts(made) == [("archive", 1, "PENDING"), ("crm", 1, "FAILED")]
    assert world.status(made) == "PENDING"
    world.drain()
    assert world.attempts(made)[0] == ("archive", 1, "SUCCEEDED")
    assert world.status(made) == "FAILED"


def test_what_no_repetition_can_help_fails_at_once(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(REFUSED)
    made = world.submit()
    world.drain()
    assert world.attempts(made) == [("crm", 1, "FAILED")]
    assert world.destination()["state"] == "active"


def test_a_destination_that_is_gone_is_disabled_and_tried_no_more(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(GONE)
    first = world.submit(1)
    world.drain()
    second = world.submit(2)
    world.drain()
    assert world.destination()["state"] == "disabled"
    assert len(world.webhook.shipments) == 1
    assert [world.status(one) for one in (first, second)] == ["FAILED", "FAILED"]
    key = {**key_of(second), "destination_id": "crm", "attempt_num": 1}
    attempt = world.store.get(Forms.get_attempt, key)
    assert attempt is not None
    assert attempt["error"] == "the destination is disabled"


@pytest.mark.parametrize("outcome", [GONE, BUSY, DeliveryOutcome(response_status=200)])
@pytest.mark.parametrize("opened", [{}, {"failures": 4, "last_failure": "another"}])
def test_what_comes_late_from_the_old_address_changes_nothing_at_the_new_one(
    world: World, outcome: DeliveryOutcome, opened: Record
) -> None:
    world.tenant("acme", webhook())
    world.change(**opened)
    new = webhook(url="https://new.example.com/")["settings"]

    class Slow(Scripted):
        def deliver(self, *args: object) -> DeliveryOutcome:
            # As the tenant's change of the address does it, and one failure there since.
            version = iso_utc(world.clock.moment + timedelta(seconds=1))
            world.change(settings=new, updated_at=version, failures=1, last_failure="new")
            return outcome

    world.webhook = Slow()
    world.submit()
    world.step()
    world.step()
    found = world.destination()
    assert (found["state"], found["failures"], found["last_failure"]) == ("active", 1, "new")
    assert "breaker_until" not in found


def test_a_paused_destination_costs_no_attempt_and_has_all_of_them_afterwards(
    world: World,
) -> None:
    world.tenant("acme", webhook())
    until = world.clock.moment + timedelta(hours=2)
    world.change(paused_until=until)
    made = world.submit()
    world.drain()
    assert world.clock.moment >= until
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]
    assert max(world.cloud.delays) == 900


def test_what_is_held_back_for_days_is_given_up(world: World) -> None:
    world.tenant("acme", webhook())
    world.change(paused_until=world.clock.moment + 2 * PATIENCE)
    made = world.submit()
    world.drain(most=1000)
    assert world.attempts(made) == [("crm", 1, "FAILED")]
    assert world.status(made) == "FAILED"


def test_what_is_removed_while_it_waits_is_delivered_nowhere_and_calls_nobody(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted()
    world.change(paused_until=world.clock.moment + timedelta(hours=1))
    made, never_begun = world.submit(1), world.submit(2)
    del world.cloud.messages[1]
    world.step()
    for one in (made, never_begun):
        world.store.delete(Forms.delete_submission, key_of(one))
    world.clock.pass_by(hours=2)
    world.announce(never_begun)
    world.drain()
    assert (world.dead, world.webhook.shipments) == ([], [])


def test_an_event_that_comes_before_its_submission_is_visible_comes_again(world: World) -> None:
    world.tenant("acme", webhook())
    made = submission(world.clock.moment, 1)
    world.announce(made)
    with pytest.raises(SubmissionMissing):
        world.step()
    world.store.put(Forms.put_submission, made)
    world.drain()
    assert world.status(made) == "DELIVERED"


def test_a_form_that_is_routed_nowhere_and_one_to_a_lost_destination(world: World) -> None:
    world.tenant("acme", webhook())
    nowhere = world.submit(1, form_id="other")
    world.drain()
    assert (world.attempts(nowhere), world.status(nowhere)) == ([], "DELIVERED")
    world.store.delete(Forms.delete_destination, {"tenant_id": "acme", "destination_id": "crm"})
    lost = world.submit(2)
    world.drain()
    assert (world.attempts(lost), world.status(lost)) == ([("crm", 1, "FAILED")], "FAILED")


@pytest.mark.parametrize(
    ("kind", "settings", "reason"),
    [
        ("webhook", {"url": "https://[64:ff9b::7f00:1]/"}, "url must not name an address that"),
        ("webhook", {}, "url is required"),
        ("email", {"to": []}, "to must be a list of 1 to 10 addresses"),
        ("email", {"to": ["a@b.c\r\nBcc: d@e.f"]}, "to has an entry that is no e-mail address"),
        ("s3", {"bucket": ""}, "bucket must be the name of a bucket of your own"),
        ("s3", {"bucket": "abc", "prefix": "x" * 513}, "prefix must be 1 to 512 letters"),
        ("eventbridge", {"bus": ""}, "bus must be the name or the ARN of an event bus"),
    ],
)
def test_what_would_not_be_stored_today_is_not_delivered_to(
    world: World, kind: str, settings: Record, reason: str
) -> None:
    made = {"destination_id": "crm", "destination_type": kind, "settings": settings}
    world.tenant("acme", made)
    sent = world.submit()
    world.drain()
    assert world.attempts(sent) == [("crm", 1, "FAILED")]
    key = {**key_of(sent), "destination_id": "crm", "attempt_num": 1}
    attempt = world.store.get(Forms.get_attempt, key)
    assert attempt is not None
    assert (attempt.error or "").startswith(f"the destination's {reason}")


def test_a_destination_asked_for_patience_gets_it_up_to_the_longest_wait(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(BUSY._replace(wait=120.0), BUSY._replace(wait=86_400.0))
    world.submit()
    world.drain()
    assert world.cloud.delays == [0, 120, 900]


def test_messages_many_times_and_in_any_order_make_each_attempt_once(world: World) -> None:
    world.tenant("acme", webhook(), archive())
    world.webhook = Scripted(BUSY, BUSY)
    made = world.submit()
    bodies = []
    while world.cloud.messages:
        bodies.append(world.cloud.messages[0][1])
        world.step()
    expected = world.attempts(made)
    shipped = len(world.webhook.shipments)
    shuffled = random.Random(3)
    for _ in range(4):
        shuffled.shuffle(bodies)
        for body in bodies:
            world.cloud.messages.append((world.clock.moment, body, 0))
        world.drain()
    assert world.attempts(made) == expected
    assert len(world.webhook.shipments) == shipped == 3
    assert world.status(made) == "DELIVERED"


def test_a_message_that_comes_while_its_attempt_is_made_waits_for_it(world: World) -> None:
    world.tenant("acme", webhook())
    made = world.submit()
    world.step()
    body = world.cloud.messages[0][1]
    said = []

    class Nested(Scripted):
        def deliver(self, *args: object) -> DeliveryOutcome:
            said.append(world.carry_out(body))
            return DeliveryOutcome(response_status=200)

    world.webhook = Nested()
    assert world.carry_out(body) == "SUCCEEDED"
    assert said == [POSTPONED]
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]
    world.drain()
    assert len(said) == 1


def test_an_attempt_that_was_taken_over_is_written_by_its_new_owner_alone(world: World) -> None:
    world.tenant("acme", webhook())
    made = world.submit()
    world.step()
    body = world.cloud.messages[0][1]

    class Slow(Scripted):
        def deliver(self, *args: object) -> DeliveryOutcome:
            world.webhook = Scripted()
            world.clock.pass_by(seconds=CLAIM.total_seconds() + 1)
            assert world.carry_out(body) == "SUCCEEDED"
            return BUSY

    world.webhook = Slow()
    assert world.carry_out(body) == SUPERSEDED
    world.drain()
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]
    assert world.status(made) == "DELIVERED"


def test_an_event_that_comes_again_does_not_deliver_to_what_was_added_since(world: World) -> None:
    world.tenant("acme", webhook())
    made = world.submit()
    world.drain()
    world.store.update(
        Forms.update_config,
        {"tenant_id": "acme"},
        {"forms": {"contact": {"destinations": ["crm", "new"]}}},
    )
    world.announce(made)
    world.drain()
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED")]


def test_quarantined_submissions_are_not_delivered(world: World) -> None:
    world.tenant("acme", webhook())
    made = world.submit(status="QUARANTINED")
    world.drain()
    assert (world.attempts(made), world.status(made)) == ([], "QUARANTINED")


def test_a_quarantined_submission_is_released_by_asking_for_it(world: World) -> None:
    world.tenant("acme", webhook())
    made = world.submit(status="QUARANTINED")
    world.drain()
    assert world.redeliver(made, None) == [1]
    assert world.status(made) == "PENDING"
    world.drain()
    assert world.status(made) == "DELIVERED"


def test_tenants_whose_ids_begin_alike_are_delivered_apart(world: World) -> None:
    for tenant in ("a", "ab", "a.b"):
        bucket = {"bucket": f"bucket-{tenant}"}
        world.tenant(tenant, {**archive(), "settings": bucket}, webhook())
    made = {tenant: world.submit(7, tenant) for tenant in ("a", "ab", "a.b")}
    assert len({one["submission_id"] for one in made.values()}) == 1
    world.change(tenant="ab", state="disabled")
    world.drain()
    assert {tenant: world.status(one) for tenant, one in made.items()} == {
        "a": "DELIVERED",
        "ab": "FAILED",
        "a.b": "DELIVERED",
    }
    assert {(bucket, key.split("/")[0]) for bucket, key in world.cloud.objects} == {
        ("bucket-a", "a"),
        ("bucket-ab", "ab"),
        ("bucket-a.b", "a.b"),
    }


def test_what_was_given_up_is_delivered_by_a_fresh_series(world: World) -> None:
    world.tenant("acme", webhook(), archive())
    world.webhook = Scripted(BUSY, REFUSED)
    made = world.submit()
    world.drain()
    assert world.status(made) == "FAILED"
    assert (world.redeliver(made), world.redeliver(made)) == ([9], [9])
    assert world.status(made) == "PENDING"
    world.webhook = Scripted(BUSY)
    world.drain()
    assert world.attempts(made)[1:] == [
        ("crm", 1, "RETRYING"),
        ("crm", 2, "FAILED"),
        ("crm", 9, "RETRYING"),
        ("crm", 10, "SUCCEEDED"),
    ]
    assert world.status(made) == "DELIVERED"
    with pytest.raises(NotRedeliverable, match="No active destination is waiting"):
        world.redeliver(made, None)


def test_what_was_lost_on_its_way_is_asked_for_again(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(BUSY)
    made = world.submit()
    world.step()
    world.step()
    world.cloud.messages.clear()
    assert world.attempts(made) == [("crm", 1, "RETRYING")]
    assert world.redeliver(made) == [2]
    world.drain()
    assert world.status(made) == "DELIVERED"


def test_asking_for_it_during_a_retry_delivers_once(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(BUSY)
    made = world.submit()
    world.step()
    world.step()
    assert world.attempts(made) == [("crm", 1, "RETRYING")]
    for destination in ("crm", None):  # beside the message that waits already
        assert world.redeliver(made, destination) == [2]
    world.drain()
    assert world.attempts(made) == [("crm", 1, "RETRYING"), ("crm", 2, "SUCCEEDED")]
    assert len(world.webhook.shipments) == 2


def test_what_a_destination_has_taken_stays_delivered_when_sending_it_again_fails(
    world: World,
) -> None:
    world.tenant("acme", webhook())
    made = world.submit()
    world.drain()
    world.webhook = Scripted(REFUSED)
    assert world.redeliver(made) == [9]
    world.drain()
    assert world.attempts(made) == [("crm", 1, "SUCCEEDED"), ("crm", 9, "FAILED")]
    assert world.status(made) == "DELIVERED"
    with pytest.raises(NotRedeliverable, match="No active destination is waiting"):
        world.redeliver(made, None)


def test_what_was_set_aside_is_delivered_when_it_is_moved_back(world: World) -> None:
    world.tenant("acme", webhook(), archive())
    made = world.submit()

    class Down:
        def call(self, operation: str, params: Any) -> Any:
            raise Unavailable("as in an outage")

    def outage() -> None:
        while world.cloud.messages:
            with suppress(Unavailable):
                world.step(Down())

    outage()
    assert len(world.dead) == 1
    world.move_back()
    world.step()  # the event, which leads to two messages
    outage()
    assert (len(world.dead), world.status(made)) == (2, "PENDING")
    world.move_back()
    world.drain()
    assert world.attempts(made) == [("archive", 1, "SUCCEEDED"), ("crm", 1, "SUCCEEDED")]
    assert (world.dead, world.status(made)) == ([], "DELIVERED")


def test_a_race_of_redeliveries_with_the_delivery_leaves_no_submission_open(world: World) -> None:
    world.tenant("acme", webhook())
    world.webhook = Scripted(REFUSED)
    made = world.submit()
    world.drain()

    class Meanwhile:
        """Another asks for it, and it is delivered, before this one's change of the status."""

        def call(self, operation: str, params: Any) -> Any:
            if operation == "UpdateItem" and world.status(made) == "FAILED":
                world.redeliver(made)
                world.drain()
            return world.edge.call(operation, params)

    assert world.redeliver(made, edge=Meanwhile()) == [9]
    assert world.status(made) == "DELIVERED"
    world.drain()
    assert world.attempts(made) == [("crm", 1, "FAILED"), ("crm", 9, "SUCCEEDED")]
    assert world.status(made) == "DELIVERED"


def test_the_last_redelivery_that_has_numbers_is_made_and_the_next_is_refused(world: World) -> None:
    world.tenant("acme", webhook())
    made = submission(world.clock.moment, 1, status="FAILED")
    world.store.put(Forms.put_submission, made)
    old = {**DeliveryAttempt.__entity__.example, "status": "FAILED"}
    world.store.put(
        Forms.put_attempt, DeliveryAttempt(**{**old, **key_of(made), "attempt_num": 984})
    )
    assert world.redeliver(made) == [985]
    world.webhook = Scripted(*[BUSY] * 8)
    world.drain()
    assert world.attempts(made)[-1] == ("crm", 992, "FAILED")
    for destination in ("crm", None):
        with pytest.raises(NotRedeliverable, match="123 times, and that is the most"):
            world.redeliver(made, destination)
    assert (world.cloud.messages, world.status(made)) == ([], "FAILED")


def test_nothing_is_redelivered_to_where_it_cannot_go(world: World) -> None:
    world.tenant("acme", webhook())
    made = submission(world.clock.moment, 1)
    with pytest.raises(NotFound, match="no submission"):
        world.redeliver(made)
    world.store.put(Forms.put_submission, made)
    with pytest.raises(NotFound, match="no Destination"):
        world.redeliver(made, "nobody")
    world.change(state="disabled")
    with pytest.raises(NotRedeliverable, match="disabled"):
        world.redeliver(made)
    assert world.attempts(made) == []
    assert world.cloud.messages == []


def test_attempts_are_kept_as_long_as_their_submission(world: World) -> None:
    world.tenant("acme", webhook())
    later = iso_utc(world.clock.moment + timedelta(days=36_500))
    made = world.submit(expires_at=later)
    world.drain()
    key = {**key_of(made), "destination_id": "crm", "attempt_num": 1}
    attempt = world.store.get(Forms.get_attempt, key)
    assert attempt is not None
    assert attempt["expires_at"] == later
