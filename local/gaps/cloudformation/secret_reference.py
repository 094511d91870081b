"""Gap: `Ref` of a secret is its name, so policies that name the secret by it allow nothing.

In CloudFormation it is the secret's ARN.
"""

from typing import Any

from ministack.services import secretsmanager

from local.gaps import expected

Created = tuple[str, dict[str, Any]]


def close() -> None:
    handler = expected.handler("AWS::SecretsManager::Secret")
    resolve = expected.function(secretsmanager, "_resolve", "secret_id", "use_arn_scope")
    create, update, delete = handler["create"], handler["update"], handler["delete"]

    def name_of(physical_id: str) -> str:
        name, _ = resolve(physical_id)
        return name or physical_id

    def create_by_arn(logical_id: str, props: dict[str, Any], stack_name: str) -> Created:
        _, attributes = create(logical_id, props, stack_name)
        return attributes["Id"], attributes

    def update_by_arn(physical_id: str, *rest: Any, **more: Any) -> Created:
        _, attributes = update(name_of(physical_id), *rest, **more)
        return attributes["Id"], attributes

    def delete_by_arn(physical_id: str, props: dict[str, Any]) -> None:
        delete(name_of(physical_id), props)

    handler.update(create=create_by_arn, update=update_by_arn, delete=delete_by_arn)
