"""The end of a stage: its stacks, and what they would otherwise stumble over or leave behind."""

import json
from collections.abc import Callable

from deployment import Refused
from deployment.cdk import Assembly, Cdk
from deployment.deploy import ON_THE_WAY
from deployment.removal import Say, clear, delete_secrets, doomed_in, remove_stacks, stacks_not_in
from deployment.target import Target
from lambdas.contract import SYSTEMS


def destroy(target: Target, cdk: Cdk, say: Say, sure: Callable[[str], bool]) -> None:
    """Destroy all stacks. What a stage keeps stays; of a throw-away one nothing does."""
    assembly = cdk.synth(_as_deployed(target, cdk.synth()))
    gone = stacks_not_in(target, assembly, gone=(), kept=_regions(target, assembly))
    stacks = [*gone, *((stack.name, stack.region) for stack in assembly.stacks)]
    doomed = doomed_in(target, stacks)
    with_them = f", the contents of {len(doomed.buckets)} buckets" if doomed.buckets else ""
    if not sure(f"This destroys all stacks of {target.stage}{with_them}, and cannot be undone."):
        raise Refused("Nothing was destroyed.")
    clear(target, doomed, say)
    # Of settings that are off by now; the others are what they import of.
    remove_stacks(target, gone, say)
    try:
        cdk.destroy(assembly)
    except Refused:
        # What still ran may have written something between the emptying and its end.
        clear(target, doomed_in(target, stacks), say)
        cdk.destroy(assembly)
    delete_secrets(target, doomed.secrets, say)
    say(f"{target.stage} is destroyed.")


def _as_deployed(target: Target, assembly: Assembly) -> dict[str, str]:
    """Settings by which the application has the replicas and stacks that there are, whatever was
    asked for."""
    there = _replicas(target, assembly)
    keys = target.has_stack(f"tablewright-{target.stage}-keys")
    regions = _regions(target, assembly)
    return {
        "replicas": ",".join(regions) or "none",
        "replicated": ",".join(SYSTEMS),
        ON_THE_WAY: json.dumps(there),
        "audit": "on" if target.has_stack(target.audit_stack) else "off",
        "customer_keys": ",".join(SYSTEMS) if keys else "off",
    }


def _replicas(target: Target, assembly: Assembly) -> dict[str, list[str]]:
    shapes = {name: target.table(name) for name in assembly.tables(target.region)}
    return {name: sorted(shape.replicas) for name, shape in shapes.items() if shape}


def _regions(target: Target, assembly: Assembly) -> list[str]:
    return sorted({region for found in _replicas(target, assembly).values() for region in found})
