"""Grants: what a role of a CloudFormation template allows, by the names that tests use."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tablewright.model.errors import TablewrightError

Template = Mapping[str, Any]

# Managed policies that allow what AWS itself does in a function's name, and nothing else.
_OF_THE_PLATFORM = re.compile(r"(AWSLambda\w+ExecutionRole|AWSXRayDaemonWriteAccess)$")
_FUNCTION, _ROLE = "AWS::Lambda::Function", "AWS::IAM::Role"
_LEADING = "dynamodb:LeadingKeys"


class TemplateError(TablewrightError):
    """A template has not what was asked for, or says it in a way that is not understood."""


class Grant(NamedTuple):
    """An action, or a pattern of such, where it is allowed, and under which leading keys."""

    action: str
    place: str
    keys: tuple[str, ...] | None


def read_template(template: Template | str | Path) -> Template:
    """A template as such, or from its file: ``cdk.out/Shop.template.json``."""
    if isinstance(template, str | Path):
        read: Template = json.loads(Path(template).read_text())
        return read
    return template


def found_role(template: Template, name: str) -> tuple[str, str | None]:
    """The logical ids of a role and of its function, by the id or construct name of either."""
    function = _found(template, _FUNCTION, name)
    if function is not None:
        role = template["Resources"][function]["Properties"]["Role"]
        return text(role).strip("{}").removesuffix(".Arn"), function
    role_id = _found(template, _ROLE, name)
    if role_id is None:
        known = ", ".join(sorted((*_ids(template, _FUNCTION), *_ids(template, _ROLE))))
        raise TemplateError(f"no function or role of the template is {name!r}; there are: {known}")
    return role_id, None


def grants(template: Template, role: str, ids: Mapping[str, str]) -> list[Grant]:
    """What a role allows; `ids` has what tests call resources, by their logical ids."""
    return [
        Grant(action, named(text(resource), ids), _keys(statement))
        for statement in _statements(template, role)
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    ]


def told(template: Template, function: str) -> dict[str, str]:
    """The variables of a function, with references spelled out."""
    properties = template["Resources"][function]["Properties"]
    variables = properties.get("Environment", {}).get("Variables", {})
    return {name: text(value) for name, value in variables.items()}


def text(value: Any) -> str:
    """An ARN or name with its references spelled out: ``{Sales.Arn}/index/GSI1``."""
    if not isinstance(value, dict):
        return str(value)
    if "Ref" in value:
        return f"{{{value['Ref']}}}"
    if "Fn::GetAtt" in value:
        return "{" + ".".join(listed(value["Fn::GetAtt"])) + "}"
    if "Fn::ImportValue" in value:
        return f"{{{text(value['Fn::ImportValue'])}}}"
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return str(separator).join(map(text, parts))
    if "Fn::Sub" in value:
        return re.sub(r"\$\{([^!}]+)\}", r"{\1}", str(listed(value["Fn::Sub"])[0]))
    return json.dumps(value)


def listed(value: Any) -> list[Any]:
    """A value that stands for a list of one, as in policies."""
    return value if isinstance(value, list) else [value]


def named(arn: str, ids: Mapping[str, str]) -> str:
    """What tests call a resource, and what is in it."""
    # What the application does not make itself goes by its own name.
    other = re.fullmatch(r"arn:.*(?::secret:|:s3:::|:event-bus/|:identity/)(.+)", arn)
    if other:
        return other[1]
    elsewhere = r"(?:arn:.*:dynamodb:(?P<region>[^:]+):.*)?"
    for id, name in ids.items():
        match = re.fullmatch(rf"{elsewhere}{{{id}(?:\.Arn)?}}(?P<rest>/.*)?", arn)
        if match:
            where = f" in {match['region']}" if match["region"] else ""
            return name + (match["rest"] or "").removeprefix("/index") + where
    return arn


def _statements(template: Template, role: str) -> Iterator[Template]:
    properties = template["Resources"][role]["Properties"]
    for managed in map(text, properties.get("ManagedPolicyArns", [])):
        if not _OF_THE_PLATFORM.search(managed):
            raise TemplateError(f"what {managed} allows is not in the template: grant it there")
    policies = list(properties.get("Policies", []))
    for resource in template["Resources"].values():
        attached = resource.get("Properties", {}).get("Roles", [])
        if resource["Type"] == "AWS::IAM::Policy" and f"{{{role}}}" in map(text, attached):
            policies.append(resource["Properties"])
    for policy in policies:
        for statement in listed(policy["PolicyDocument"]["Statement"]):
            if statement["Effect"] != "Allow" or not {"Action", "Resource"} <= statement.keys():
                raise TemplateError(
                    "only statements are understood that allow actions on resources"
                )
            yield statement


def _keys(statement: Template) -> tuple[str, ...] | None:
    """Patterns of the leading keys that a statement is for, None where it is for all."""
    condition = statement.get("Condition")
    if condition is None:
        return None
    patterns = condition.get("ForAllValues:StringLike", {})
    # Without the second, a call without keys meets the first: a scan would be allowed.
    rest = {name: one for name, one in condition.items() if name != "ForAllValues:StringLike"}
    if patterns.keys() != {_LEADING} or rest != {"Null": {_LEADING: "false"}}:
        raise TemplateError(f"a condition is not understood, other than of {_LEADING}: {condition}")
    return tuple(map(text, listed(patterns[_LEADING])))


def _ids(template: Template, type: str) -> list[str]:
    return [id for id, one in template["Resources"].items() if one["Type"] == type]


def _found(template: Template, type: str, name: str) -> str | None:
    """A resource by its logical id, the path of its construct, or how either begins or ends."""
    ids = _ids(template, type)
    if name in ids:
        return name
    paths = {
        id: template["Resources"][id].get("Metadata", {}).get("aws:cdk:path", "") for id in ids
    }
    ends = (f"/{name}", f"/{name}/Resource")
    by_path = [id for id, path in paths.items() if path.endswith(ends)]
    by_start = [id for id in ids if re.fullmatch(rf"{re.escape(name)}[0-9A-F]{{8}}", id)]
    for candidates in (by_path, by_start):
        if len(candidates) > 1:
            raise TemplateError(f"{name!r} is one of {', '.join(candidates)}: name which")
        if candidates:
            return candidates[0]
    return None
