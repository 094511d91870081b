"""A grant gives what the patterns call, where they call it, for one tenant if asked."""

from decimal import Decimal
from typing import Any

import pytest
from aws_cdk import Environment
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.catalog.sentiment.constructs import SentimentItemsTable
from tablewright.catalog.sentiment.items import Items
from tablewright.constructs import DesignTable, GrantError, TenantAccessRole
from tablewright.model import (
    ALL,
    KEYS_ONLY,
    Count,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Number,
    Query,
    Scan,
    SetOf,
    Table,
    Text,
)
from tablewright.model.grants import Allowed, of_tenant
from tablewright.model.validation.design import check
from tests.infrastructure.synthesis import (
    allowed,
    listed,
    new_stack,
    resources,
    statements,
    template_of,
    text,
)

# By hand, on purpose: what each pattern needs, index None being the table.
CALLS: dict[str, set[tuple[str, str | None]]] = {
    "put_sale": {("PutItem", None)},
    "put_sales": {("BatchWriteItem", None)},
    "create_sales": {("PartiQLInsert", None)},
    "get_sales": {("BatchGetItem", None)},
    "get_sale": {("GetItem", None)},
    "update_sale": {("GetItem", None), ("UpdateItem", None)},
    "delete_sale": {("DeleteItem", None)},
    "product_sales": {("Query", None)},
    "category_sales": {("Query", "GSI1"), ("BatchGetItem", None)},
    "category_prices": {("Query", "GSI1")},
    "brand_prices": {("Query", "GSI3")},
    "product_embeddings": {("Query", None)},
    "embeddings": {("Query", "GSI2")},
    "brand_sales": {("Query", "GSI3"), ("BatchGetItem", None)},
}
IN_IRELAND = Environment(account="111122223333", region="eu-west-1")
TENANT = "TENANT#${aws:PrincipalTag/tenant}"


def role(stack: Any, id: str) -> iam.Role:
    return iam.Role(stack, id, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def arn(template: dict[str, Any], index: str | None = None) -> str:
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    return f"{{{table}.Arn}}" + (f"/index/{index}" if index else "")


@pytest.fixture(scope="module")
def granted() -> dict[str, Any]:
    """A role for each pattern, named after it, and one that may do everything for a tenant."""
    stack = new_stack()
    table = SalesTable(stack, "Sales")
    for name, pattern in Sales.__design__.patterns.items():
        table.grant(role(stack, f"{name}-only"), pattern)
    access = TenantAccessRole(stack, "Access", assumed_by=role(stack, "Function"))
    access.grant(table, *Sales.__design__.pattern_list)
    hydrating = role(stack, "Hydrating")
    table.grant(hydrating, Sales.brand_sales, tenant_tag="org")
    return template_of(stack)


def test_every_pattern_of_the_design_is_covered_here() -> None:
    assert CALLS.keys() == Sales.__design__.patterns.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_pattern_grants_its_actions_on_its_index_and_nothing_else(
    name: str, granted: dict[str, Any]
) -> None:
    expected = {(f"dynamodb:{action}", arn(granted, index)) for action, index in CALLS[name]}
    assert allowed(granted, f"{name.replace('_', '')}only") == expected


def test_a_tenant_session_reaches_only_keys_that_begin_with_its_tenant(
    granted: dict[str, Any],
) -> None:
    keys = {}
    for statement in statements(granted, "AccessRole"):
        condition = statement["Condition"]
        assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
        keys[text(statement["Resource"])] = condition["ForAllValues:StringLike"][
            "dynamodb:LeadingKeys"
        ]
    assert keys == {
        arn(granted): [f"{TENANT}#PRODUCT#*"],
        arn(granted, "GSI1"): [f"{TENANT}#CATEGORY#*#SHARD#*"],
        arn(granted, "GSI2"): [f"{TENANT}#EMBTYPE#PRODUCT#SHARD#*"],
        arn(granted, "GSI3"): [f"{TENANT}#BRAND#*"],
    }


def test_a_hydrating_query_is_limited_by_the_index_key_and_by_the_table_key(
    granted: dict[str, Any],
) -> None:
    tenant = "TENANT#${aws:PrincipalTag/org}"
    found = {
        text(statement["Resource"]): (
            statement["Action"],
            statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"],
        )
        for statement in statements(granted, "Hydrating")
    }
    assert found == {
        arn(granted, "GSI3"): ("dynamodb:Query", [f"{tenant}#BRAND#*"]),
        arn(granted): ("dynamodb:BatchGetItem", [f"{tenant}#PRODUCT#*"]),
    }


def test_the_tenant_role_is_assumed_by_the_function_alone_and_with_the_tag_alone(
    granted: dict[str, Any],
) -> None:
    roles = resources(granted, "AWS::IAM::Role")
    (function,) = (id for id in roles if id.startswith("Function"))
    (access,) = (id for id in roles if id.startswith("AccessRole"))
    (trust,) = roles[access]["AssumeRolePolicyDocument"]["Statement"]
    assert text(trust["Principal"]["AWS"]) == f"{{{function}.Arn}}"
    assert trust["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert trust["Condition"] == {
        "Null": {"aws:RequestTag/tenant": "false"},
        "ForAllValues:StringEquals": {"aws:TagKeys": ["tenant"]},
    }
    assert allowed(granted, "Function") == {
        ("sts:AssumeRole", f"{{{access}.Arn}}"),
        ("sts:TagSession", f"{{{access}.Arn}}"),
    }


def test_replicas_are_granted_only_when_asked_for() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = SalesTable(stack, "Sales", replicas=["us-east-1"])
    table.grant(role(stack, "Here"), Sales.get_sale)
    table.grant(role(stack, "Everywhere"), Sales.get_sale, replicas=True)
    template = template_of(stack)
    assert allowed(template, "Here") == {("dynamodb:GetItem", arn(template))}
    away = allowed(template, "Everywhere") - allowed(template, "Here")
    ((action, replica),) = away
    assert action == "dynamodb:GetItem"
    assert ":dynamodb:us-east-1:111122223333:table/" in replica


def test_a_grant_in_a_region_is_of_that_replica_alone() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = SentimentItemsTable(stack, "Items", replicas=["us-east-1", "us-west-2"])
    table.grant(role(stack, "Away"), Items.put_item, region="us-west-2")
    table.grant(role(stack, "Home"), Items.put_item, region="eu-west-1")
    template = template_of(stack)
    (table_id,) = resources(template, "AWS::DynamoDB::GlobalTable")
    ((action, replica),) = allowed(template, "Away")
    assert action == "dynamodb:PutItem"
    assert replica.endswith(f":dynamodb:us-west-2:111122223333:table/{{{table_id}}}")
    assert allowed(template, "Home") == {("dynamodb:PutItem", arn(template))}


@pytest.mark.parametrize("region", ["us-west-2", "eu-central-1"])
def test_a_grant_where_there_is_no_replica_is_refused(region: str) -> None:
    stack = new_stack(env=IN_IRELAND)
    table = SentimentItemsTable(stack, "Items", replicas=["us-east-1"])
    with pytest.raises(GrantError, match=f"'sentiment-items' has no replica in {region}"):
        table.grant(role(stack, "Role"), Items.put_item, region=region)


def test_a_grant_on_keys_reaches_keys_of_these_forms_and_no_scan() -> None:
    stack = new_stack()
    table = SentimentItemsTable(stack, "Items")
    table.grant(role(stack, "Role"), Items.put_item, keys=["newsapi#*", "reddit#*"])
    (statement,) = statements(template_of(stack), "Role")
    assert statement["Condition"] == {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["newsapi#*", "reddit#*"]},
        "Null": {"dynamodb:LeadingKeys": "false"},
    }


def test_a_grant_without_keys_or_tenant_has_no_condition() -> None:
    stack = new_stack()
    SentimentItemsTable(stack, "Items").grant(role(stack, "Role"), Items.put_item)
    (statement,) = statements(template_of(stack), "Role")
    assert "Condition" not in statement


@pytest.mark.parametrize(
    ("projects", "actions"),
    [(KEYS_ONLY, {"dynamodb:Query", "dynamodb:BatchGetItem"}), (ALL, {"dynamodb:Query"})],
)
def test_a_list_is_granted_the_table_only_where_it_completes_its_entries(
    projects: str, actions: set[str]
) -> None:
    stack = new_stack()
    table = SalesTable(stack, "Sales", projects=projects)
    table.grant(role(stack, "Role"), Sales.category_sales, Sales.brand_sales)
    granted = (one["Action"] for one in statements(template_of(stack), "Role"))
    found = {a for one in granted for a in ([one] if isinstance(one, str) else one)}
    assert found == actions


def test_a_grant_for_a_tenant_and_on_keys_at_once_is_refused() -> None:
    stack = new_stack()
    table = SalesTable(stack, "Sales")
    with pytest.raises(GrantError, match="to a tenant, to shared keys or to keys: choose one"):
        table.grant(role(stack, "Role"), Sales.get_sale, tenant_tag="tenant", keys=["TENANT#a#*"])


def test_an_action_is_granted_on_the_keys_of_the_patterns_that_call_it_and_on_no_others() -> None:
    allowed = of_tenant(Forms.__design__, [Forms.delete_destination, Forms.put_submission], "t")
    assert sorted((one.actions, one.keys) for one in allowed) == [
        (["DeleteItem"], ["TENANT#${aws:PrincipalTag/t}"]),
        (["PutItem"], ["TENANT#${aws:PrincipalTag/t}#*"]),
    ]


def test_a_grant_of_shared_keys_reaches_them_and_no_tenant_s() -> None:
    stack = new_stack()
    table = FormsTable(stack, "Forms")
    table.grant(role(stack, "Role"), Forms.tenants, Forms.get_domain, shared=True)
    found = {
        text(statement["Resource"]).partition("/")[2]: listed(
            statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        )
        for statement in statements(template_of(stack), "Role")
    }
    assert found == {"": ["DOMAIN#*"], "index/GSI1": ["CONFIG#*"]}
    with pytest.raises(GrantError, match="is not shared: it belongs to one tenant"):
        table.grant(role(stack, "Other"), Forms.get_config, shared=True)


def test_a_customer_key_may_be_used_through_dynamodb_only() -> None:
    stack = new_stack(env=IN_IRELAND)
    key = kms.Key(stack, "Key")
    table = SalesTable(stack, "Sales", encryption_key=key)
    table.grant(role(stack, "Reader"), Sales.get_sale)
    table.grant(role(stack, "Writer"), Sales.put_sale)
    template = template_of(stack)
    (key_id,) = resources(template, "AWS::KMS::Key")
    for name, encrypts in (("Reader", False), ("Writer", True)):
        (use,) = (s for s in statements(template, name) if "kms:Decrypt" in s["Action"])
        assert text(use["Resource"]) == f"{{{key_id}.Arn}}"
        assert ("kms:Encrypt" in use["Action"]) is encrypts
        (service,) = use["Condition"]["StringEquals"].values()
        assert text(service) == "dynamodb.eu-west-1.{AWS::URLSuffix}"


def test_a_pattern_of_another_design_is_refused() -> None:
    stack = new_stack()
    table = SalesTable(stack, "Sales")
    with pytest.raises(GrantError, match="'get_sale' is not an access pattern of table design"):
        table.grant(role(stack, "Role"), OtherSales.get_sale)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("role", "get_sale"), "'get_sale' is not an access pattern of table design 'sales'"),
        (("role", None), "None is not an access pattern"),
        (("role", Sale), "the class Sale is not an access pattern"),
        (("name", Sales.get_sale), "a grantee must be a role or a function, not 'reader'"),
    ],
)
def test_wrong_argument_of_a_grant_is_named(arguments: tuple[str, Any], says: str) -> None:
    stack = new_stack()
    grantee: Any = role(stack, "Role") if arguments[0] == "role" else "reader"
    with pytest.raises(GrantError, match=says):
        SalesTable(stack, "Sales").grant(grantee, arguments[1])


def test_keys_of_a_grant_are_a_list() -> None:
    stack = new_stack()
    with pytest.raises(GrantError, match=r"keys must be a list of forms, not 'SALE#\*'"):
        SalesTable(stack, "Sales").grant(role(stack, "Role"), Sales.get_sale, keys="SALE#*")


def test_a_grant_of_nothing_is_refused() -> None:
    stack = new_stack()
    with pytest.raises(GrantError, match="at least one access pattern"):
        SalesTable(stack, "Sales").grant(role(stack, "Role"))


class OtherSales(Table, pk="PK", sk="SK"):
    """Another table with a pattern of the same name."""

    get_sale = Get(Sale)


def notes(form: str, of: str | None = "tenant") -> tuple[type[Table], Get[Any]]:
    """A table with one pattern, and that."""

    class Note(Entity, key=Key(form)):
        tenant: Field[str] = Text()
        id: Field[str] = Text()

    class Notes(Table, pk="PK", tenant=of):
        get = Get(Note)

    return Notes, Notes.get


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("{tenant}", "${aws:PrincipalTag/t}"),
        ("T#{tenant}", "T#${aws:PrincipalTag/t}"),
        ("T#{tenant}#N#{id}", "T#${aws:PrincipalTag/t}#N#*"),
    ],
)
def test_the_tenant_ends_the_key_or_is_followed_by_the_delimiter(key: str, form: str) -> None:
    made = notes(key)[0].__design__
    assert of_tenant(made, made.pattern_list, "t") == [Allowed(None, ["GetItem"], [form])]


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("T#{tenant}-{id}", "followed by a delimiter"),
        ("T#{tenant}{id}", "followed by a delimiter"),
        ("N#{id}#T#{tenant}", "does not begin with the tenant"),
        ("N#{id}", "does not begin with the tenant"),
    ],
)
def test_a_key_in_which_tenants_could_overlap_is_refused(key: str, problem: str) -> None:
    made = notes(key)[0].__design__
    with pytest.raises(GrantError, match=problem):
        of_tenant(made, made.pattern_list, "t")


def test_a_design_without_tenants_cannot_be_limited_to_one() -> None:
    made, get = notes("N#{id}", None)
    stack = new_stack()
    table = DesignTable(stack, "Notes", design=made, table_name="notes")
    with pytest.raises(GrantError, match="no tenants to tell apart"):
        table.grant(role(stack, "Role"), get, tenant_tag="tenant")


def test_counting_for_a_tenant_reaches_its_counters_and_its_markers() -> None:
    class Visits(Entity, key=Key("T#{tenant}#N")):
        tenant: Field[str] = Text()
        n: Field[Decimal] = Number()

    class Seen(Entity, key=Key("T#{tenant}#E#{id}")):
        tenant: Field[str] = Text()
        id: Field[str] = Text()
        events: Field[set[str] | None] = SetOf(Text(), default=None)

    class Counted(Table, pk="PK", tenant="tenant"):
        count = Count(Visits, marker=Seen)

    design, count = Counted.__design__, Counted.count
    assert {key for one in of_tenant(design, [count], "tenant") for key in one.keys} == {
        "T#${aws:PrincipalTag/tenant}#E#*",
        "T#${aws:PrincipalTag/tenant}#N",
    }


def test_what_cannot_be_limited_to_a_tenant_is_refused() -> None:
    class Note(Entity, key=Key("T#{tenant}", "{id}")):
        tenant: Field[str] = Text()
        id: Field[str] = Text()
        state: Field[str] = Text()

    class Notes(Table, pk="PK", sk="SK", tenant="tenant"):
        by_state = Index(
            pk=("tenant", "state"), sk="id", keys={Note: Key(("{tenant}", "{state}"), "{id}")}
        )
        of_state = Query(Note, by_state)
        every = Scan(Note)

    check(Notes)
    with pytest.raises(GrantError, match="has several attributes: IAM's dynamodb:LeadingKeys"):
        of_tenant(Notes.__design__, [Notes.of_state], "tenant")
    with pytest.raises(GrantError, match="'every' reads everything that there is"):
        of_tenant(Notes.__design__, [Notes.every], "tenant")
