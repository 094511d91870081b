"""Keys of the sentiment system's secret fields, in stages that have them."""

from aws_cdk import CfnOutput
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from lambdas.sentiment.contract import (
    ENCRYPT,
    MIGRATE,
    READ,
    KeysEnvironment,
    dashboard_table_name,
    items_table_name,
)
from stacks.sentiment.regions import SystemRegions
from stacks.shared.adopted import adopted_key, adopted_secret
from stacks.shared.stage import Stage
from tablewright.constructs import DesignTableBase, FieldKeys, ReplicaFieldKeys
from tablewright.constructs.field_keys import FieldKeysBase


class SecretFields(Construct):
    """A ring of data keys for each table, and one key of KMS that wraps them all.

    Example::

        secrets = SecretFields(self, "Secrets", stage=stage, items=items, dashboard=dashboard,
                               regions=regions)
        secrets.let_use(function, items=True)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        items: DesignTableBase,
        dashboard: DesignTableBase,
        regions: SystemRegions,
    ) -> None:
        super().__init__(scope, id)
        self._items: FieldKeysBase | None = None
        self._dashboard: FieldKeysBase | None = None
        asked = stage.sentiment.encrypted_fields
        self._mode = asked if asked in (READ, MIGRATE, ENCRYPT) else None
        if self._mode:
            protection = stage.protection
            name = f"{items_table_name(stage.name)}-keys"
            key = adopted_key(stage, self, f"alias/{name}")
            if regions.is_home:
                self._items = FieldKeys(
                    self,
                    "Items",
                    table=items,
                    name=name,
                    kms_key=key,
                    ring=adopted_secret(stage, self, name),
                    protection=protection,
                )
            else:
                # Items are encrypted once, wherever they were taken in.
                self._items = ReplicaFieldKeys(
                    self,
                    "Items",
                    table=items,
                    name=name,
                    home=regions.home,
                    function=regions.asking("DescribeKey", ReplicaFieldKeys.HANDLER).function,
                    kms_key=key,
                    protection=protection,
                )
            dashboard_ring = f"{dashboard_table_name(stage.name)}-keys"
            self._dashboard = FieldKeys(
                self,
                "Dashboard",
                table=dashboard,
                name=dashboard_ring,
                kms_key=self._items.key,
                ring=adopted_secret(stage, self, dashboard_ring),
                protection=protection,
            )
            CfnOutput(scope, "FieldKey", value=self._items.key.key_arn)
            CfnOutput(scope, "ItemKeys", value=self._items.secret_arn)
            CfnOutput(scope, "DashboardKeys", value=self._dashboard.secret_arn)

    def let_use(
        self, function: lambda_.Function, *, items: bool = False, dashboard: bool = False
    ) -> None:
        """Tell a function where the keys of these tables are, and let it use them."""
        of_items = self._items if items else None
        of_dashboard = self._dashboard if dashboard else None
        rings = [keys for keys in (of_items, of_dashboard) if keys]
        told = KeysEnvironment(
            items_keys_secret_arn=of_items.secret_arn if of_items else None,
            dashboard_keys_secret_arn=of_dashboard.secret_arn if of_dashboard else None,
            fields_kms_key_arn=rings[0].key.key_arn if rings else None,
            encrypted_fields=self._mode,
        )
        for name, value in told.variables().items():
            function.add_environment(name, value)
        for keys in rings:
            keys.grant_use(function)

    @property
    def services(self) -> list[ec2.InterfaceVpcEndpointAwsService]:
        """What the dashboard's function calls beside DynamoDB."""
        service = ec2.InterfaceVpcEndpointAwsService
        return [service.SECRETS_MANAGER, *([service.KMS] if self._mode else [])]

    def requirements(self, *, accelerated: bool = False) -> str:
        """The lock file of a function that has keys."""
        parts = ["accelerated"] * accelerated + ["encrypted"] * bool(self._mode)
        return f"{'-'.join(parts) or 'requirements'}.txt"
