"""Policies of a tenant's role: from a template, a policy document, or a design's grants."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tablewright.isolation.decisions import Statement, listed
from tablewright.model.grants import GrantError, of_tenant, statements
from tablewright.model.table import Design
from tablewright.runtime.strict_json import parse

_PARTS = ("Action", "NotAction", "Resource", "NotResource")


def from_file(path: Path, role: str | None) -> list[Statement]:
    """The statements of a policy document, or of the role of a template whose id begins so.

    Raises LookupError when it cannot be said what a role may do.
    """
    try:
        return _checked(_statements(path, role))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise LookupError(f"{path} is neither a policy with a Statement nor a template") from None


def _statements(path: Path, role: str | None) -> list[Statement]:
    document = parse(path.read_bytes())
    if "Statement" in document:
        return [_spelled(statement) for statement in listed(document["Statement"])]
    resources = document["Resources"]
    if role is None:
        raise LookupError("say by --role which role of the template a tenant's session has")
    ids = [id for id, found in resources.items() if _is_role(found) and id.startswith(role)]
    if len(ids) != 1:
        raise LookupError(f"{path} has {len(ids)} roles whose id begins with '{role}'")
    return [_spelled(statement) for statement in _of_role(resources, ids[0])]


def _checked(statements: list[Statement]) -> list[Statement]:
    """The statements if they have members of the types that IAM has; raises TypeError."""
    for statement in statements:
        parts = (statement.get(name, ()) for name in _PARTS)
        texts = [statement["Effect"], *(text for part in parts for text in listed(part))]
        blocks = statement.get("Condition", {}).values()
        conditions = [listed(values) for block in blocks for values in block.values()]
        wanted = [value for values in conditions for value in values]
        if not (
            all(isinstance(text, str) for text in texts)
            and all(conditions)
            and all(isinstance(value, str | int) for value in wanted)
        ):
            raise TypeError
    return statements


def from_design(design: Design, tag: str) -> list[Statement]:
    """What a role is granted that may use every pattern that is about one tenant."""
    patterns = []
    for pattern in design.pattern_list:
        try:
            of_tenant(design, [pattern], tag)
        except GrantError:
            continue
        patterns.append(pattern)
    return statements(of_tenant(design, patterns, tag), "table")


def without_resources(
    statements: Iterable[Statement], excepted: Sequence[str]
) -> Iterator[Statement]:
    """The statements without resources that contain one of these texts."""
    for statement in statements:
        resources = listed(statement.get("Resource", ()))
        rest = [name for name in resources if not any(text in str(name) for text in excepted)]
        if rest or not resources:
            yield {**statement, "Resource": rest} if resources else statement


def _is_role(resource: dict[str, Any]) -> bool:
    return bool(resource.get("Type") == "AWS::IAM::Role")


def _of_role(resources: dict[str, Any], role: str) -> Iterator[Statement]:
    properties = resources[role].get("Properties", {})
    if properties.get("ManagedPolicyArns"):
        raise LookupError(f"{role} has managed policies, which the template does not show")
    for policy in properties.get("Policies", ()):
        yield from listed(policy["PolicyDocument"]["Statement"])
    for resource in resources.values():
        if resource.get("Type") in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
            attached = resource["Properties"].get("Roles", ())
            if {"Ref": role} in attached:
                yield from listed(resource["Properties"]["PolicyDocument"]["Statement"])


def _spelled(value: Any) -> Any:
    """Without functions of CloudFormation: a reference becomes its name in braces."""
    if isinstance(value, list):
        return [_spelled(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "Ref" in value:
        return f"{{{value['Ref']}}}"
    if "Fn::GetAtt" in value:
        return f"{{{'.'.join(value['Fn::GetAtt'])}}}"
    if "Fn::ImportValue" in value:
        return f"{{{_spelled(value['Fn::ImportValue'])}}}"
    if "Fn::Join" in value:
        delimiter, parts = value["Fn::Join"]
        return str(delimiter).join(_spelled(parts))
    if "Fn::Sub" in value:
        raise LookupError("Fn::Sub in a policy cannot be told from a policy variable")
    return {key: _spelled(each) for key, each in value.items()}
