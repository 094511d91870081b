"""What a synthesis wrote, by region."""

import json
from pathlib import Path

from deployment.cdk import Assembly

EMAIL = {"Type": "AWS::SNS::Subscription", "Properties": {"Protocol": "email"}}


def test_only_regions_with_a_subscription_are_told_of(tmp_path: Path) -> None:
    # As with a firewall: its stack in another region tells nobody of anything.
    stacks = {"operations": ("eu-west-1", {"Told": EMAIL}), "firewall": ("us-east-1", {})}
    artifacts = {}
    for name, (region, resources) in stacks.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"Resources": resources}))
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://000000000000/{region}",
            "properties": {"templateFile": f"{name}.json"},
        }
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    assembly = Assembly(tmp_path)
    assert assembly.regions_with("AWS::SNS::Subscription", Protocol="email") == ("eu-west-1",)
    assert assembly.regions_with("AWS::SNS::Subscription", Protocol="sqs") == ()
