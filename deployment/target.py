"""The account and region that a stage is deployed to, by the credentials in use."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from cdk_app.stage_file import StageFile
from deployment import Refused
from deployment.shapes import Shape, shape_of_table

_CLOUDFRONT = "us-east-1"
# Statuses of stacks that exist in name only. `cdk deploy` deletes them, and creates them again.
_NEVER_MADE = ("REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_COMPLETE")
_ROLL_BACK = 'make cdk STAGE={stage} ARGS="rollback {stack}"'
_AWS = "aws cloudformation {command} --region {region} --stack-name {stack}"
# Statuses of which `cdk deploy` makes nothing, with the command that ends each.
_REMEDIES = {
    "CREATE_FAILED": _ROLL_BACK,
    "UPDATE_FAILED": _ROLL_BACK,
    "UPDATE_ROLLBACK_FAILED": _ROLL_BACK,
    "DELETE_FAILED": _AWS.replace("{command}", "delete-stack"),
    "IMPORT_ROLLBACK_FAILED": _AWS.replace("{command}", "describe-stack-events"),
}


class Target:
    """Where a stage is, and what of it is there.

    Example::

        target = Target(StageFile.load("dev"), os.environ)
        target.table("dev-sentiment-items-primary")
    """

    def __init__(self, file: StageFile, environ: Mapping[str, str]) -> None:
        self.stage = file.name
        self.file = file
        self._session = boto3.session.Session()
        region = (
            environ.get("TABLEWRIGHT_REGION")
            or file.text("region")
            or environ.get("AWS_REGION")
            or environ.get("AWS_DEFAULT_REGION")
            or self._session.region_name
        )
        if region is None:
            raise Refused(f'No region is named: set region in {file}, for example "eu-west-1".')
        self.region: str = region
        self.client = cache(self._client)
        self.account = self._account(environ.get("TABLEWRIGHT_ACCOUNT"), file)

    @property
    def settings(self) -> dict[str, str]:
        """For the application: that it is meant for this account and region."""
        return {"TABLEWRIGHT_ACCOUNT": self.account, "TABLEWRIGHT_REGION": self.region}

    @property
    def audit_stack(self) -> str:
        """The name of the stack that a stage has only while its setting is on."""
        return f"tablewright-{self.stage}-audit"

    def firewall_stack(self) -> tuple[str, str] | None:
        """The name and region of the firewall's stack, if the stage was deployed with one.

        Its key at home tells: an account may forbid calls to the region of CloudFront.
        """
        identity = self.template(f"tablewright-{self.stage}-identity", self.region) or {}
        resources = identity.get("Resources", {}).values()
        names = [found.get("Properties", {}).get("Name") for found in resources]
        if f"tablewright/{self.stage}/edge-key" not in names:
            return None
        suffix = "" if self.region == _CLOUDFRONT else f"-{_CLOUDFRONT}"
        return f"tablewright-{self.stage}-firewall{suffix}", _CLOUDFRONT

    def table(self, name: str, region: str | None = None) -> Shape | None:
        """What a table is like, if it is there."""
        dynamodb = self.client("dynamodb", region)
        try:
            described = dynamodb.describe_table(TableName=name)["Table"]
        except dynamodb.exceptions.ResourceNotFoundException:
            return None
        return shape_of_table(described, region or self.region)

    def require_deployable(self, name: str, region: str) -> None:
        """Refuse a stack that is being changed, or that an earlier failure left halfway."""
        stack = self._stack(name, region)
        if stack is None:
            return
        status = stack["StackStatus"]
        place = {"stage": self.stage, "region": region, "stack": name}
        if status.endswith("_IN_PROGRESS"):
            raise Refused(
                f"{name} is {status}: another deployment changes it. Nothing was changed. "
                "Run the same command again once that has ended: "
                + _AWS.format(command="describe-stacks", **place)
            )
        if remedy := _REMEDIES.get(status):
            raise Refused(
                f"{name} is {status} ({stack.get('StackStatusReason', 'AWS gives no reason')}). "
                "Nothing was changed. Remove the cause, end the failed change, and run the same "
                f"command again: {remedy.format(**place)}"
            )

    def has_stack(self, name: str, region: str | None = None) -> bool:
        return self._stack(name, region) is not None

    def _stack(self, name: str, region: str | None) -> dict[str, Any] | None:
        try:
            found = self.client("cloudformation", region).describe_stacks(StackName=name)
        except ClientError as error:
            if _is_missing(error):
                return None
            raise
        (stack,) = found["Stacks"]
        return None if stack["StackStatus"] in _NEVER_MADE else dict(stack)

    def output(self, stack: str, name: str, region: str | None = None) -> str:
        """What a stack of the stage gives out."""
        outputs = self.outputs(stack, region)
        if outputs is None:
            raise Refused(f"{stack} is not deployed: run make deploy STAGE={self.stage} first.")
        if name not in outputs:
            raise Refused(
                f"{stack} does not say its {name}: deploy it anew, make deploy STAGE={self.stage}."
            )
        return outputs[name]

    def outputs(self, stack: str, region: str | None = None) -> dict[str, str] | None:
        """All that a stack gives out, if it is there."""
        found = self._stack(stack, region)
        if found is None:
            return None
        return {o["OutputKey"]: str(o["OutputValue"]) for o in found.get("Outputs", ())}

    def physical_id(self, stack: str, logical_id: str, region: str | None = None) -> str | None:
        """The name of a stack's resource, if the stack has it."""
        if not self.has_stack(stack, region):
            return None
        try:
            found = self.client("cloudformation", region).describe_stack_resource(
                StackName=stack, LogicalResourceId=logical_id
            )
        except ClientError as error:
            if _is_missing(error):
                return None
            raise
        return found["StackResourceDetail"].get("PhysicalResourceId") or None

    def template(self, stack: str, region: str) -> dict[str, Any] | None:
        """What a stack was deployed from."""
        if not self.has_stack(stack, region):
            return None
        found = self.client("cloudformation", region).get_template(
            StackName=stack, TemplateStage="Original"
        )
        return dict(found["TemplateBody"])

    def delete_stack(self, name: str, region: str) -> bool:
        """Delete a stack that the application no longer has; False when there is none."""
        cloudformation = self.client("cloudformation", region)
        if not self.has_stack(name, region):
            return False
        cloudformation.delete_stack(StackName=name)
        cloudformation.get_waiter("stack_delete_complete").wait(StackName=name)
        return True

    def protect(self, table: str, on: bool, region: str | None = None) -> None:
        """Set whether a table can be deleted, in one region."""
        dynamodb = self.client("dynamodb", region)
        described = dynamodb.describe_table(TableName=table)["Table"]
        if bool(described.get("DeletionProtectionEnabled")) is not on:
            dynamodb.update_table(TableName=table, DeletionProtectionEnabled=on)
            dynamodb.get_waiter("table_exists").wait(TableName=table)

    def _client(self, service: str, region: str | None = None) -> Any:
        return self._session.client(service, region_name=region or self.region)

    def _account(self, override: str | None, file: StageFile) -> str:
        try:
            account = str(self.client("sts").get_caller_identity()["Account"])
        except (BotoCoreError, ClientError) as error:
            raise Refused(
                f"AWS does not know these credentials ({error}): sign in first, for example with "
                "aws sso login and AWS_PROFILE=..."
            ) from None
        named = override or file.text("account")
        if named and named != account:
            origin = "TABLEWRIGHT_ACCOUNT" if override else f"account in {file}"
            raise Refused(
                f"{origin} is {named}, but the credentials are of account {account}: "
                "take others, or leave the setting out."
            )
        return account


def _is_missing(error: ClientError) -> bool:
    return error.response["Error"]["Code"] in ("ValidationError", "ResourceNotFoundException")
