"""Exports that a deployment removes, and the stacks that import them until then.

CloudFormation refuses to remove an export while a stack imports it. The CLI deploys the stack that
exports first, so that a setting that takes something away, such as the topic of alarms, could not
be carried out.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from deployment.cdk import Assembly, Stack

# The template of a stack, by its name and region, if it is there.
Deployed = Callable[[str, str], Mapping[str, Any] | None]


def importers_of_removed(assembly: Assembly, deployed: Deployed) -> list[str]:
    """The stacks that are to be deployed before the others: what they import today, and will not
    any more, no stack will export."""
    exported = {(stack.region, name) for stack in assembly.stacks for name in stack.exports}

    def is_importer(stack: Stack) -> bool:
        given_up = {*imports(deployed(stack.name, stack.region))} - {*imports(stack.template)}
        return any((stack.region, name) not in exported for name in given_up)

    return [stack.name for stack in assembly.stacks if is_importer(stack)]


def imports(template: Any) -> Iterator[str]:
    """The names of what a template, or a part of one, imports."""
    if isinstance(template, Mapping):
        name = template.get("Fn::ImportValue")
        if isinstance(name, str):
            yield name
        template = list(template.values())
    if isinstance(template, list):
        for part in template:
            yield from imports(part)
