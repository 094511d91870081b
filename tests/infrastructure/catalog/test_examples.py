"""The tables alone are of use in somebody else's app."""

import runpy

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import (
    allowed,
    id_of,
    one,
    only,
    resources,
    statements,
    template_of,
    text,
)

TABLE = "AWS::DynamoDB::GlobalTable"


def test_the_example_grants_one_pattern_of_the_one_table() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "sales_in_your_app.py"))
    template = template_of(example["stack"])
    (table,) = resources(template, TABLE)
    assert allowed(template, "ReportServiceRole") == {
        ("dynamodb:Query", f"{{{table}.Arn}}/index/GSI1")
    }


def test_the_two_tables_and_the_stream_between_them_are_granted_by_pattern() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "sentiment_tables_in_your_app.py"))
    template = template_of(example["stack"])
    items, dashboard = (f"{{{id_of(template, TABLE, id)}.Arn}}" for id in ("Items", "Dashboard"))
    assert allowed(template, "IngestRole") == {("dynamodb:PutItem", items)}
    assert allowed(template, "ShowRole") == {
        ("dynamodb:Query", dashboard),
        ("dynamodb:Query", f"{dashboard}/index/by_tag"),
    }
    (statement,) = statements(template, "IngestRole")
    (keys,) = statement["Condition"]["ForAllValues:StringLike"].values()
    assert keys == ["newsapi#*"]
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    assert text(mapping["EventSourceArn"]) == items.replace(".Arn", ".StreamArn")
    regions = {replica["Region"] for replica in one(template, TABLE, "Items")["Replicas"]}
    assert regions == {"us-east-1", "us-west-2"}


def test_the_tables_of_the_portal_are_granted_by_pattern() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "portal_tables_in_your_app.py"))
    template = template_of(example["stack"])
    content, notifications, subscriptions, events = (
        f"{{{id_of(template, TABLE, id)}.Arn}}"
        for id in ("Content", "Notifications", "Subscriptions", "Events")
    )
    assert allowed(template, "ShowRole") == {
        ("dynamodb:GetItem", content),
        ("dynamodb:Query", f"{content}/index/by_status_updated"),
        ("dynamodb:Query", notifications),
        ("dynamodb:UpdateItem", notifications),
    }
    assert {
        ("dynamodb:Query", f"{subscriptions}/index/by_topic"),
        ("dynamodb:PartiQLInsert", notifications),
    } <= allowed(template, "TellRole")
    assert allowed(template, "RecordRole") == {("dynamodb:PartiQLInsert", events)}
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    assert text(mapping["EventSourceArn"]) == content.replace(".Arn", ".StreamArn")


def test_the_form_table_is_granted_by_pattern_and_by_tenant() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "forms_table_in_your_app.py"))
    template = template_of(example["stack"])
    forms = f"{{{id_of(template, TABLE, 'Forms')}.Arn}}"
    assert allowed(template, "SubmitRole") == {
        ("dynamodb:GetItem", forms),
        ("dynamodb:PutItem", forms),
    }
    assert {action for action, _ in allowed(template, "ShowRole")} == {
        "sts:AssumeRole",
        "sts:TagSession",
    }
    isolated = statements(template, "FormsTenantAccess")
    assert isolated
    for statement in isolated:
        (keys,) = statement["Condition"]["ForAllValues:StringLike"].values()
        assert all(text(key).startswith("TENANT#${aws:PrincipalTag/tenant}") for key in keys)
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    assert text(mapping["EventSourceArn"]) == forms.replace(".Arn", ".StreamArn")
