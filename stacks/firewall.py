"""Firewall: CloudFront and a web ACL in front of the APIs, in stages that ask for it."""

from collections.abc import Mapping

from aws_cdk import Acknowledgment, CfnOutput, RemovalPolicy, SecretValue, Validations
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_logs as logs
from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from lambdas.contract import EDGE_HEADER
from stacks.identity import edge_key_name
from stacks.shared.stage import Stage
from stacks.shared.stage_api import StageApi
from stacks.shared.stage_stack import StageStack

# Web ACLs of CloudFront exist there alone.
REGION = "us-east-1"
# Bodies are data, bounded and checked field by field: news and letters have markup and addresses in
# them, submissions are larger than 8 KB. Programs need not say what they are.
_COUNTED = (
    "CrossSiteScripting_BODY",
    "EC2MetaDataSSRF_BODY",
    "GenericLFI_BODY",
    "GenericRFI_BODY",
    "NoUserAgent_HEADER",
    "SizeRestrictions_BODY",
)
# Rules that AWS maintains, and what is only counted of each.
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "AWSManagedRulesAmazonIpReputationList": (),
    "AWSManagedRulesKnownBadInputsRuleSet": (),
    "AWSManagedRulesCommonRuleSet": _COUNTED,
}
_FIVE_MINUTES = 300


class FirewallStack(StageStack):
    """A CloudFront distribution for each API, all behind one web ACL.

    Nothing is cached, and a request reaches the API as it was sent, with a key in a header. The
    functions behind an API refuse requests without the key (`lambdas.edge`).

    Example::

        FirewallStack(app, stage=stage, apis={"sales": sales.http})
    """

    def __init__(self, scope: Construct, *, stage: Stage, apis: Mapping[str, StageApi]) -> None:
        home = str(stage.environment.region)
        super().__init__(
            scope,
            "firewall",
            stage=stage,
            region=None if home == REGION else REGION,
            cross_region_references=True,
        )
        rates = [stage.api_rate.of(system).requests_per_second for system in apis]
        acl = self._acl(most=max(10, min(rates) * _FIVE_MINUTES // 2))
        self._log_blocked(stage, acl)
        key = SecretValue.secrets_manager(edge_key_name(stage))
        for system, http in apis.items():
            domain = f"{http.api.api_id}.execute-api.{home}.{self.url_suffix}"
            made = self._distribution(system.capitalize(), domain, key, acl)
            CfnOutput(self, f"{system.capitalize()}Url", value=f"https://{made.domain_name}")

    def _distribution(
        self, id: str, domain: str, key: SecretValue, acl: waf.CfnWebACL
    ) -> cloudfront.Distribution:
        made = cloudfront.Distribution(
            self,
            id,
            comment=f"{self.stack_name}: {id}",
            default_behavior=cloudfront.BehaviorOptions(
                origin=origins.HttpOrigin(
                    domain,
                    # The origin's configuration is where CloudFront keeps it, as the function's is.
                    custom_headers={EDGE_HEADER: key.unsafe_unwrap()},
                    protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
                    origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
                ),
                allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
                cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
                # API Gateway knows itself by the host; all else is what the caller sent.
                origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            ),
            web_acl_id=acl.attr_arn,
        )
        for rule, reason in (
            ("CFR1", "Callers of every country are welcome."),
            ("CFR3", "The API logs what gets through, the web ACL what it blocks."),
            ("CFR4", "CloudFront's own names have CloudFront's own certificate."),
        ):
            Validations.of(made).acknowledge(
                Acknowledgment(id=f"AwsSolutions-{rule}", reason=reason)
            )
        return made

    def _acl(self, *, most: int) -> waf.CfnWebACL:
        """AWS's rules, after a rate: no address sends more than half of what an API takes."""
        rate = waf.CfnWebACL.RuleProperty(
            name="Rate",
            priority=0,
            action=waf.CfnWebACL.RuleActionProperty(block={}),
            statement=waf.CfnWebACL.StatementProperty(
                rate_based_statement=waf.CfnWebACL.RateBasedStatementProperty(
                    aggregate_key_type="IP", limit=most, evaluation_window_sec=_FIVE_MINUTES
                )
            ),
            visibility_config=_visible("Rate"),
        )
        groups = enumerate(_GROUPS.items(), start=1)
        return waf.CfnWebACL(
            self,
            "Acl",
            scope="CLOUDFRONT",
            default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
            rules=[rate, *(_managed(at, name, counted) for at, (name, counted) in groups)],
            visibility_config=_visible("Firewall"),
        )

    def _log_blocked(self, stage: Stage, acl: waf.CfnWebACL) -> None:
        """Log blocked requests, with the address of the caller and without its token."""
        group = logs.LogGroup(
            self,
            "Blocked",
            # WAF writes to groups of this beginning only.
            log_group_name=f"aws-waf-logs-{self.stack_name}",
            retention=stage.log_retention,
            removal_policy=RemovalPolicy.DESTROY,
        )
        waf.CfnLoggingConfiguration(
            self,
            "Logging",
            resource_arn=acl.attr_arn,
            log_destination_configs=[
                self.format_arn(
                    service="logs",
                    resource=f"log-group:{group.log_group_name}",
                )
            ],
            redacted_fields=[
                waf.CfnLoggingConfiguration.FieldToMatchProperty(
                    single_header={"Name": "authorization"}
                )
            ],
            logging_filter={
                "DefaultBehavior": "DROP",
                "Filters": [
                    {
                        "Behavior": "KEEP",
                        "Requirement": "MEETS_ANY",
                        "Conditions": [{"ActionCondition": {"Action": "BLOCK"}}],
                    }
                ],
            },
        ).node.add_dependency(group)


def _managed(priority: int, name: str, counted: tuple[str, ...]) -> waf.CfnWebACL.RuleProperty:
    count = waf.CfnWebACL.RuleActionProperty(count={})
    return waf.CfnWebACL.RuleProperty(
        name=name,
        priority=priority,
        override_action=waf.CfnWebACL.OverrideActionProperty(none={}),
        statement=waf.CfnWebACL.StatementProperty(
            managed_rule_group_statement=waf.CfnWebACL.ManagedRuleGroupStatementProperty(
                vendor_name="AWS",
                name=name,
                rule_action_overrides=[
                    waf.CfnWebACL.RuleActionOverrideProperty(name=rule, action_to_use=count)
                    for rule in counted
                ],
            )
        ),
        visibility_config=_visible(name),
    )


def _visible(name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
    return waf.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=True
    )
