"""The deployment of a stage: checked against what is there, then done step by step."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from deployment import Refused, plan
from deployment.adoption import adopted
from deployment.cdk import Assembly, Cdk
from deployment.exports import importers_of_removed
from deployment.guard import (
    Removal,
    Tables,
    check_removals,
    gone_regions,
    regions_of,
    removals_of,
)
from deployment.removal import optional_stacks, remove_stacks, stacks_not_in
from deployment.shards import check_shards
from deployment.target import Target

Say = Callable[[str], None]
# The setting by which the application is synthesized with fewer replicas than it will have.
ON_THE_WAY = "replicas_on_the_way"
# The setting that names stacks whose deletion protection begins once they are created.
NEW_STACKS = "new_stacks"
# The setting that maps the names of retained keys and secrets to their ARNs.
ADOPTED = "adopted"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What `make deploy` was told beside the stage."""

    approve: str
    take_over: bool = False
    context: Mapping[str, str] = field(default_factory=dict)


def deploy(target: Target, cdk: Cdk, asked: Asked, say: Say) -> None:
    """Deploy all stacks; refuse, before anything changes, what would fail or lose items."""
    assembly = cdk.synth(asked.context)
    for stack in assembly.stacks:
        target.require_deployable(stack.name, stack.region)
    context = dict(asked.context)
    if arns := adopted(target, assembly):
        say(f"Adopted from an earlier stack: {', '.join(arns.values())}.")
        context[ADOPTED] = json.dumps(arns)
        assembly = cdk.synth(context)
    wanted = {name: shape for name, (_, _, shape) in assembly.tables(target.region).items()}
    deployed = {name: shape for name in wanted if (shape := target.table(name))}
    first = not any(target.has_stack(stack.name, stack.region) for stack in assembly.stacks)
    left_over = [*_left_over(target, assembly)]
    _check_left_over(target, left_over, asked.take_over)
    plan.check_indexes(wanted, deployed)
    check_shards(target, assembly)
    gone = _stacks_to_remove(target, assembly, wanted, deployed)
    _check_removals(target, removals_of(target, assembly, wanted, deployed, gone), say)
    todo = plan.steps(wanted, deployed)
    options = ["--require-approval", asked.approve]
    if left_over:
        options.append("--import-existing-resources")
        say(f"Taken over with their items: {', '.join(map(str, left_over))}.")
        for table in left_over:
            # Whatever becomes of the take-over, the items stay.
            target.protect(table.name, True, table.region)
    if len(todo) > 1:
        say(f"This takes {len(todo)} updates: AWS changes one replica of a table at a time.")
    # Before the others, of which they import.
    importing = [stack for stack in gone if stack in optional_stacks(target)]
    remove_stacks(target, importing, say)
    final_context = dict(context)
    if new := _new_protected_stacks(target, assembly):
        context[NEW_STACKS] = " ".join(new)
        assembly = cdk.synth(context)
    for number, step in enumerate(todo, start=1):
        say(f"{number} of {len(todo)}: {step.says}")
        with _unprotected(target, step):
            if len(todo) > 1:
                on_the_way = {ON_THE_WAY: json.dumps(step.on_the_way)}
                assembly = cdk.synth({**context, **on_the_way})
            if importers := importers_of_removed(assembly, target.template):
                named = ", ".join(importers)
                say(f"First {named}: they import what other stacks no longer export.")
                cdk.deploy(assembly, *options, only=importers)
            cdk.deploy(assembly, *options)
    if new:
        say("All stacks are complete. Their tables and user pools get deletion protection.")
        assembly = cdk.synth(final_context)
        cdk.deploy(assembly, *options)
    for table in left_over:
        target.protect(table.name, table.protected, table.region)
    remove_stacks(target, [stack for stack in gone if stack not in importing], say)
    _say_what_is_next(target, assembly, say, first)


def _new_protected_stacks(target: Target, assembly: Assembly) -> list[str]:
    """List the stacks to create whose rollback could not delete what they protect."""
    return [
        stack.name
        for stack in assembly.stacks
        if stack.has_deletion_protection and not target.has_stack(stack.name, stack.region)
    ]


@contextmanager
def _unprotected(target: Target, step: plan.Step) -> Iterator[None]:
    """Let a step delete the replicas that it removes: the stage file names them. One that is still
    there after a failure is protected as before."""
    removed = [(name, change.removes) for name, change in step.changes.items() if change.removes]
    lifted = [
        one for one in removed if (replica := target.table(*one)) is not None and replica.protected
    ]
    for name, region in lifted:
        target.protect(name, False, region)
    try:
        yield
    except Refused:
        for name, region in lifted:
            if target.table(name, region):
                target.protect(name, True, region)
        raise


def _stacks_to_remove(
    target: Target, assembly: Assembly, wanted: Tables, deployed: Tables
) -> list[tuple[str, str]]:
    """Stacks, by name and region, that go with the last replica of a region, or with a setting."""
    gone = gone_regions(wanted, deployed, target.file.removals)
    return stacks_not_in(target, assembly, gone=gone, kept=sorted(regions_of(wanted)))


def _check_removals(target: Target, removals: Sequence[Removal], say: Say) -> None:
    """Show what is removed, allowed or not; then refuse what the stage file does not allow."""
    if removals:
        say(f"This deployment removes from {target.stage}:")
    for removal in removals:
        say(str(removal))
    allowed = target.file.removals
    check_removals(removals, target, allowed)
    for name in sorted(allowed - {removal.name for removal in removals}):
        say(f"{target.file}: removals names {name}, and nothing of it is removed: delete the line.")


class LeftOver(NamedTuple):
    """A table that is there although no stack of the stage has it, and whether it is protected."""

    name: str
    region: str
    protected: bool

    def __str__(self) -> str:
        return f"{self.name} in {self.region}"


def _left_over(target: Target, assembly: Assembly) -> Iterator[LeftOver]:
    for region in assembly.regions():
        for name, (stack, id, shape) in sorted(assembly.tables(region).items()):
            owned = target.physical_id(stack.name, id, region)
            if owned is None and target.table(name, region):
                yield LeftOver(name, region, shape.protected)


def _check_left_over(target: Target, left_over: Sequence[LeftOver], take_over: bool) -> None:
    if left_over and not take_over:
        named = ", ".join(map(str, left_over))
        raise Refused(
            f"These tables are there, but belong to no stack of the stage: {named}. "
            "Most likely an earlier deployment left them. To go on with them and their items: "
            f"make deploy STAGE={target.stage} IMPORT=1. To begin with empty ones, delete them."
        )


def _say_what_is_next(target: Target, assembly: Assembly, say: Say, first: bool) -> None:
    if not first:
        say(f"{target.stage} is deployed.")
        return
    say(f"{target.stage} is deployed for the first time. What is left to do (docs/deploying.md):")
    if regions := assembly.regions_with("AWS::SNS::Subscription", Protocol="email"):
        say(f"- confirm the e-mail that AWS sent, once for each region: {', '.join(regions)}")
    if assembly.regions_with("AWS::Budgets::Budget"):
        say(
            "- tomorrow, have AWS count costs by stage: aws ce update-cost-allocation-tags-status "
            "--cost-allocation-tags-status TagKey=stage,Status=Active"
        )
    say(f"- make a user: make user STAGE={target.stage} EMAIL=you@example.com TENANT=acme")
