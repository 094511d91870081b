"""The stream of a table, and what may read it."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from tablewright.constructs.tables.base import DesignTableBase

# What Lambda and pipes ask for before they read; each on the one stream.
_READ = (
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
)


def stream_of(table: DesignTableBase) -> str:
    """The ARN of the table's stream; refuses a table without one."""
    arn = table.table.table_stream_arn
    if table.design.stream is None or arn is None:
        raise ValueError(
            f"table design '{table.design.id}' has no stream to consume: "
            'declare one, for example stream="NEW_AND_OLD_IMAGES"'
        )
    return arn


def grant_stream(table: DesignTableBase, role: iam.IRole) -> iam.Grant:
    """Allow to read the stream, and to use the table's own key for it through DynamoDB only."""
    reads = iam.Grant.add_to_principal(
        grantee=role, actions=list(_READ), resource_arns=[stream_of(table)]
    )
    if table.encryption_key is None:
        return reads
    service = f"dynamodb.{Stack.of(table).region}.{Stack.of(table).url_suffix}"
    decrypts = iam.Grant.add_to_principal(
        grantee=role,
        actions=["kms:Decrypt", "kms:DescribeKey"],
        resource_arns=[table.encryption_key.key_arn],
        conditions={"StringEquals": {"kms:ViaService": service}},
    )
    return reads.combine(decrypts)
