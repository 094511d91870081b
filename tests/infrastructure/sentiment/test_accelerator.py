"""The dashboard's cache: off unless asked for, and never the only way to the table."""

from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    allowed,
    environment,
    id_of,
    one,
    resources,
)

Stage = Callable[[str], Assembly]
FUNCTION = "AWS::Lambda::Function"

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def accelerated(stage: Stage) -> Template:
    return stage("prod-accelerated").template("sentiment")


@pytest.mark.parametrize("name", [*STAGES, "prod-us-east-1"])
def test_there_is_no_cache_unless_it_is_asked_for(name: str, stage: Stage) -> None:
    template = stage(name).template("sentiment")
    assert not resources(template, "AWS::DAX::Cluster")
    assert not resources(template, "AWS::EC2::VPC")
    assert "DAX_ENDPOINT" not in environment(template, "Api")


def test_three_small_nodes_keep_answers_for_five_minutes(accelerated: Template) -> None:
    cluster = one(accelerated, "AWS::DAX::Cluster", "Accelerator")
    assert (cluster["NodeType"], cluster["ReplicationFactor"]) == ("dax.t3.small", 3)
    parameters = one(accelerated, "AWS::DAX::ParameterGroup", "Accelerator")
    assert set(parameters["ParameterNameValues"].values()) == {"300000"}


def test_the_dashboard_reads_through_the_cache_from_within_its_network(
    accelerated: Template,
) -> None:
    cluster = id_of(accelerated, "AWS::DAX::Cluster", "Accelerator")
    endpoint = environment(accelerated, "Api")["DAX_ENDPOINT"]
    assert endpoint == f"{{{cluster}.ClusterDiscoveryEndpointURL}}"
    assert len(one(accelerated, FUNCTION, "ApiFunction")["VpcConfig"]["SubnetIds"]) == 3
    assert ("dax:Query", f"{{{cluster}.Arn}}") in allowed(accelerated, "ApiRole")


def test_when_the_cache_fails_the_table_answers(accelerated: Template, stage: Stage) -> None:
    directly = allowed(stage("prod-us-east-1").template("sentiment"), "ApiRole")
    assert directly <= allowed(accelerated, "ApiRole")


def test_the_functions_that_write_go_past_the_cache(accelerated: Template) -> None:
    for function in ("Ingest", "Analyse", "Project"):
        assert "VpcConfig" not in one(accelerated, FUNCTION, f"{function}Function")
        assert "DAX_ENDPOINT" not in environment(accelerated, function)
        assert not [a for a, _ in allowed(accelerated, f"{function}Role") if a.startswith("dax:")]


def test_from_within_the_network_the_cursor_s_key_can_be_read(accelerated: Template) -> None:
    endpoints = resources(accelerated, "AWS::EC2::VPCEndpoint").values()
    names = {str(endpoint["ServiceName"]) for endpoint in endpoints}
    assert any("secretsmanager" in name for name in names)
    assert any("dynamodb" in name for name in names)


def pays(template: Template) -> list[Template]:
    alarms = resources(template, "AWS::CloudWatch::Alarm")
    return [alarm for id, alarm in alarms.items() if "AcceleratorPays" in id]


def test_it_is_told_when_a_cache_would_cost_less_than_the_reads(stage: Stage) -> None:
    (alarm,) = pays(stage("prod-us-east-1").template("sentiment"))
    # 345.7 units a second at 12.5 cents a million, nine of ten saved, are 102.20 dollars a month.
    assert alarm["Threshold"] == 346
    (sum,) = (metric for metric in alarm["Metrics"] if "Expression" in metric)
    assert sum["Expression"] == "SUM(FILL(METRICS(), 0)) / 86400"
    read = [metric["MetricStat"] for metric in alarm["Metrics"] if "MetricStat" in metric]
    assert {(one["Metric"]["MetricName"], one["Stat"], one["Period"]) for one in read} == {
        ("ConsumedReadCapacityUnits", "Sum", 86400)
    }
    where = [len(one["Metric"]["Dimensions"]) for one in read]
    assert sorted(where) == [1, 2, 2]  # the table, and each of its two indexes


def test_nothing_is_told_where_there_is_a_cache_or_few_alarms(stage: Stage) -> None:
    for name in ("prod-accelerated", "dev", "staging"):
        assert pays(stage(name).template("sentiment")) == []
