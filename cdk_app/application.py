"""The stacks of one stage, and the rules that they are checked against."""

from collections.abc import Mapping
from typing import TypedDict

from aws_cdk import App, Tags, Validations
from aws_cdk import aws_lambda as lambda_
from cdk_nag import AwsSolutionsChecks

from lambdas.audit.contract import TenantRole
from lambdas.contract import TENANT
from lambdas.forms.contract import SESSION_TAG
from stacks.audit import AuditStack
from stacks.firewall import FirewallStack
from stacks.forms.stack import FormsStack
from stacks.identity import IdentityStack
from stacks.keys import KeysStack
from stacks.operations import OperationsStack
from stacks.portal.stack import PortalStack
from stacks.replicas import ReplicasStack
from stacks.sales.stack import SalesStack
from stacks.sentiment.regions import standby_regions
from stacks.sentiment.stack import SentimentStack
from stacks.shared.stage import Stage
from stacks.shared.table_key import TableKey
from tablewright.constructs import AlarmLevel, DesignTableBase
from tablewright.constructs.nag import TablewrightChecks


class _Shared(TypedDict):
    """What all systems of a region take from other stacks."""

    stage: Stage
    identity: IdentityStack
    operations: OperationsStack
    keys: Mapping[str, TableKey]


def build(app: App, stage: Stage) -> None:
    """Put every stack of the stage into the app."""
    operations = OperationsStack(app, stage=stage)
    identity = IdentityStack(app, stage=stage)
    keys = _keys(app, stage)
    shared: _Shared = {
        "stage": stage,
        "identity": identity,
        "operations": operations,
        "keys": keys[None].keys if keys else {},
    }
    sales, sentiment = SalesStack(app, **shared), SentimentStack(app, **shared)
    forms, portal = FormsStack(app, **shared), PortalStack(app, **shared)
    tables: list[DesignTableBase] = [*sales.tables, *forms.tables, *portal.tables]
    if not standby_regions(stage):
        tables += [sentiment.items, sentiment.news.table]
    for region in stage.replicas.regions:
        if there := keys.get(region):
            for stack in (sales, sentiment, forms, portal):
                # A replica is encrypted from the first with the key of its region.
                stack.add_stack_dependency(there)
        _in_another(
            app,
            stage,
            region,
            sentiment,
            [t for t in tables if region in t.replica_regions],
            there.keys if there else {},
        )
    if stage.firewall:
        FirewallStack(
            app,
            stage=stage,
            apis={
                "sales": sales.http,
                "sentiment": sentiment.http,
                "forms": forms.http,
                "portal": portal.http,
            },
        )
    operations.recommend(
        stage,
        {
            "sales": sales.tables[0],
            "forms": forms.table,
            "sentiment.items": sentiment.items,
            "sentiment.dashboard": sentiment.dashboard,
            "sentiment.news": sentiment.news.table,
            "portal.content": portal.content,
            "portal.notifications": portal.notifications,
            "portal.subscriptions": portal.subscriptions,
            "portal.events": portal.events,
            "portal.search": portal.search.table,
        },
    )
    if stage.audited:
        AuditStack(
            app,
            stage=stage,
            operations=operations,
            stacks=[operations, identity, sales, sentiment, forms, portal],
            tenant_roles=[
                TenantRole(design, stack.stack_name, "TenantAccess", tag)
                for design, stack, tag in (
                    ("tablewright.catalog.sales.design:Sales", sales, TENANT),
                    ("tablewright.catalog.forms.design:Forms", forms, SESSION_TAG),
                )
            ],
        )
    asked = {"TABLEWRIGHT_CLIENT": stage.client, "TABLEWRIGHT_CONNECTIONS": stage.connections}
    told = {name: value for name, value in asked.items() if value}
    for function in app.node.find_all() if told else ():
        if isinstance(function, lambda_.Function):
            for name, value in told.items():
                function.add_environment(name, value)
    Tags.of(app).add("application", "tablewright")
    Tags.of(app).add("stage", stage.name)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app, verbose=True))
    Validations.of(app).add_plugins(TablewrightChecks(app, verbose=True))


def _keys(app: App, stage: Stage) -> dict[str | None, KeysStack]:
    """The keys of tables in each region, at home under None; nothing where AWS's are taken."""
    if not stage.customer_keys:
        return {}
    home = KeysStack(app, stage=stage)
    found: dict[str | None, KeysStack] = {None: home}
    if not set(stage.customer_keys).isdisjoint(stage.replicas.systems):
        for region in stage.replicas.regions:
            found[region] = KeysStack(app, stage=stage, region=region)
            # Its keys are replicas of those at home.
            found[region].add_stack_dependency(home)
    return found


def _in_another(
    app: App,
    stage: Stage,
    region: str,
    sentiment: SentimentStack,
    tables: list[DesignTableBase],
    keys: Mapping[str, TableKey],
) -> None:
    """What stands in a region that has replicas."""
    stands_by = region in standby_regions(stage)
    # It has alarms only, none of them essential.
    watches = bool(tables) and stage.alarms is AlarmLevel.ALL
    if not stands_by and not watches:
        return
    operations = OperationsStack(app, stage=stage, region=region)
    if stands_by:
        identity = IdentityStack(app, stage=stage, region=region)
        standby = SentimentStack(
            app,
            stage=stage,
            identity=identity,
            operations=operations,
            keys=keys,
            region=region,
        )
        # It adopts what that one makes.
        standby.add_stack_dependency(sentiment)
    if watches:
        ReplicasStack(app, stage=stage, operations=operations, tables=tables, region=region)
