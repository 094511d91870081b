"""Apps synthesized in-process without bundling, and their templates."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import App, Stack

from cdk_app.application import build
from cdk_app.settings import ROOT, read
from cdk_app.stage_file import stage_names
from tablewright.constructs import Platform

Template = dict[str, Any]
# Fixed, so that the local stage's templates are the same on every machine.
HOST = Platform(machine="x86_64", python="3.11")
_ASSET = re.compile(r"\b[0-9a-f]{64}\b")
STAGES = stage_names()

IN_VIRGINIA = {"TABLEWRIGHT_ACCOUNT": "111122223333", "TABLEWRIGHT_REGION": "us-east-1"}
# Ready in every region of its replicas, with all alarms.
_WATCHED = {**IN_VIRGINIA, "TABLEWRIGHT_STANDBY": "on", "TABLEWRIGHT_ALARMS": "all"}
# Production as it is only in a known region, and as it is only when asked for.
VARIANTS: dict[str, Mapping[str, str]] = {
    "prod-virginia": IN_VIRGINIA,
    "prod-us-east-1": _WATCHED,
    "prod-accelerated": {**_WATCHED, "TABLEWRIGHT_ACCELERATOR": "on"},
    "prod-replicated-encrypted": {
        **_WATCHED,
        "TABLEWRIGHT_REPLICAS": "us-west-2",
        "TABLEWRIGHT_REPLICATED": "sentiment,sales,forms,portal",
        "TABLEWRIGHT_ENCRYPTED_FIELDS": "on",
    },
}


def context(**more: object) -> dict[str, object]:
    """The feature flags of cdk.json, without bundling."""
    flags = json.loads((ROOT / "cdk.json").read_text())["context"]
    return {**flags, "aws:cdk:bundling-stacks": [], **more}


@dataclass(frozen=True)
class Assembly:
    """What a synthesis wrote."""

    folder: Path

    @property
    def templates(self) -> dict[str, Template]:
        return {name: json.loads(path.read_text()) for name, path in self.files.items()}

    @property
    def files(self) -> dict[str, Path]:
        found = sorted(self.folder.glob("*.template.json"))
        return {path.name.split(".")[0]: path for path in found}

    def template(self, system: str) -> Template:
        file = next(path for name, path in self.files.items() if name.endswith(f"-{system}"))
        template: Template = json.loads(file.read_text())
        return template

    def comparable(self, system: str) -> Template:
        """A template without the hashes of assets, which differ from run to run."""
        masked: Template = json.loads(_ASSET.sub("<asset>", json.dumps(self.template(system))))
        return masked

    def findings(self) -> set[str]:
        """The ids of the rules that something in the app breaks."""
        report = self.folder / "validation-report.json"
        plugins = json.loads(report.read_text())["pluginReports"] if report.exists() else []
        return {found["ruleName"] for plugin in plugins for found in plugin["violations"]}


def synthesize_stage(
    name: str, folder: Path, environ: Mapping[str, str] | None = None, **more: str
) -> Assembly:
    """Synthesize a stage, or a variant of one, with these settings and context besides."""
    app = App(context=context(stage=name.partition("-")[0], **more), outdir=str(folder))
    settings = {**VARIANTS.get(name, {}), **(environ or {})}
    build(app, read(app.node.try_get_context, settings, host=HOST))
    app.synth()
    return Assembly(folder)


def new_stack(**options: Any) -> Stack:
    return Stack(App(context=context()), "Test", **options)


def template_of(stack: Stack) -> Template:
    app = stack.node.root
    assert isinstance(app, App)
    template: Template = app.synth().get_stack_by_name(stack.stack_name).template
    return template


def resources(template: Template, type: str) -> dict[str, Template]:
    """The properties of all resources of a type, by logical id."""
    return {
        id: resource.get("Properties", {})
        for id, resource in template.get("Resources", {}).items()
        if resource["Type"] == type
    }


def only(template: Template, type: str) -> Template:
    (found,) = resources(template, type).values()
    return found


def id_of(template: Template, type: str, start: str) -> str:
    """The logical id, beginning so, of the one resource of a type that has such."""
    (id,) = (id for id in resources(template, type) if id.startswith(start))
    return id


def one(template: Template, type: str, start: str) -> Template:
    """The properties of the one resource of a type whose logical id begins so."""
    return resources(template, type)[id_of(template, type, start)]


def environment(template: Template, function: str) -> dict[str, str]:
    """What a function is told, by the function's id in its stack."""
    found = one(template, "AWS::Lambda::Function", f"{function}Function")
    return {name: text(value) for name, value in found["Environment"]["Variables"].items()}


def text(value: Any) -> str:
    """An ARN or name with its references spelled out: ``{Sales.Arn}/index/GSI1``."""
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return f"{{{value['Ref']}}}"
    if "Fn::GetAtt" in value:
        return "{" + ".".join(value["Fn::GetAtt"]) + "}"
    if "Fn::ImportValue" in value:
        return f"{{{value['Fn::ImportValue']}}}"
    return "".join(text(part) for part in value["Fn::Join"][1])


def exported(template: Template, id: str) -> str:
    """A resource's Ref as another stack imports it, spelled as `text` does."""
    (name,) = (
        output["Export"]["Name"]
        for output in template["Outputs"].values()
        if output["Value"] == {"Ref": id} and "Export" in output
    )
    return f"{{{name}}}"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(template: Template, role: str) -> list[Template]:
    """What the policies of the role whose logical id begins so allow."""
    return [
        statement
        for policy in resources(template, "AWS::IAM::Policy").values()
        if any(text(attached).startswith("{" + role) for attached in policy["Roles"])
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def allowed(template: Template, role: str) -> set[tuple[str, str]]:
    """Each action that the role may call, with the resource."""
    return {
        (action, text(resource))
        for statement in statements(template, role)
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }
