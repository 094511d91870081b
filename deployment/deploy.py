"""The deployment of a stage: checked against what is there, then done step by step."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from deployment import Refused, plan
from deployment.cdk import Assembly, Cdk
from deployment.plan import Step
from deployment.shapes import Shape
from deployment.target import Target
from lambdas.sentiment.contract import items_table_name

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What `make deploy` was told beside the stage."""

    approve: str
    take_over: bool = False
    removing: tuple[str, ...] = ()
    write_region: str | None = None


def deploy(target: Target, cdk: Cdk, asked: Asked, say: Say) -> None:
    """Deploy all stacks; refuse, before anything changes, what would fail or lose items."""
    assembly = cdk.synth()
    wanted = {name: shape for name, (_, _, shape) in assembly.tables(target.region).items()}
    deployed = {name: shape for name in wanted if (shape := target.table(name))}
    first = not any(target.has_stack(stack.name, stack.region) for stack in assembly.stacks)
    left_over = _left_over(target, assembly, deployed)
    _check_left_over(target, left_over, asked.take_over)
    plan.check_indexes(wanted, deployed)
    items = items_table_name(target.stage)
    todo = plan.steps(items, wanted[items], deployed.get(items), asked.removing)
    options = ["--require-approval", asked.approve]
    if left_over:
        options.append("--import-existing-resources")
        say(f"Taken over with their items: {', '.join(left_over)}.")
        # Whatever becomes of the take-over, the items stay.
        _protect(target, left_over, on=True)
    if len(todo) > 1:
        say(f"This takes {len(todo)} updates: AWS changes one replica of a table at a time.")
    for number, step in enumerate(todo, start=1):
        say(f"{number} of {len(todo)}: {step.says}")
        if step.removes:
            # Asked for by name: until this, no call can delete the replica.
            target.protect(items, False, step.removes)
        if len(todo) > 1:
            last = number == len(todo)
            assembly = cdk.synth({} if last else _context(target, step, asked))
        cdk.deploy(assembly, *options)
    _protect(target, [name for name in left_over if not wanted[name].protected], on=False)
    _remove_replica_stacks(target, asked.removing, say)
    _say_what_is_next(target, assembly, say, first)


def _context(target: Target, step: Step, asked: Asked) -> dict[str, str]:
    replicas = step.replicas or ()
    context = {"replicas": ",".join(replicas) or "none"}
    if asked.write_region and asked.write_region not in replicas:
        # Writes move once their replica is there.
        context["write_region"] = target.region
    return context


def _left_over(
    target: Target, assembly: Assembly, deployed: Mapping[str, Shape]
) -> tuple[str, ...]:
    """Tables that are there although no stack of the stage has them."""
    found = assembly.tables(target.region)
    return tuple(
        sorted(
            name
            for name, (stack, id, _) in found.items()
            if name in deployed and target.physical_id(stack.name, id) is None
        )
    )


def _check_left_over(target: Target, left_over: tuple[str, ...], take_over: bool) -> None:
    if left_over and not take_over:
        raise Refused(
            f"These tables are there, but belong to no stack of the stage: {', '.join(left_over)}. "
            "Most likely an earlier deployment left them. To go on with them and their items: "
            f"make deploy STAGE={target.stage} IMPORT=1. To begin with empty ones, delete them."
        )


def _protect(target: Target, tables: Iterable[str], *, on: bool) -> None:
    for name in tables:
        target.protect(name, on)


def _remove_replica_stacks(target: Target, regions: tuple[str, ...], say: Say) -> None:
    """Also when the replica itself was removed by an earlier attempt."""
    for region in regions:
        name = f"tablewright-{target.stage}-replica-{region}"
        if target.delete_stack(name, region):
            say(f"{name} is removed: there is nothing left to watch.")


def _say_what_is_next(target: Target, assembly: Assembly, say: Say, first: bool) -> None:
    if not first:
        say(f"{target.stage} is deployed.")
        return
    say(f"{target.stage} is deployed for the first time. What is left to do (docs/deploying.md):")
    if assembly.has("AWS::SNS::Subscription", Protocol="email"):
        regions = ", ".join(assembly.regions())
        say(f"- confirm the e-mail that AWS sent, once for each region: {regions}")
    if assembly.has("AWS::Budgets::Budget"):
        say(
            "- tomorrow, have AWS count costs by stage: aws ce update-cost-allocation-tags-status "
            "--cost-allocation-tags-status TagKey=stage,Status=Active"
        )
    say(f"- make a user: make user STAGE={target.stage} EMAIL=you@example.com TENANT=acme")
