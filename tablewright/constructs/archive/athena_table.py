"""Athena's table of an archive: typed columns of its fields, partitions that are computed."""

from aws_cdk import Stack
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct

from tablewright.model.archive import ITEM, SEQUENCE, TIME, ArchivePlan, column_name

_OWN = ((SEQUENCE, "string"), (TIME, "timestamp"), (ITEM, "string"))
_HIVE = "org.apache.hadoop.hive.ql.io"


class AthenaTable(Construct):
    """A database and a table in Glue's catalogue; neither a crawler nor partitions to be added.

    A day's folder has the names of its files, not the files: so a query sees all of a day as one
    compaction left it.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        bucket: s3.IBucket,
        name: str,
        plan: ArchivePlan,
        since: str,
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        path = self.node.scopes[-2].node.path.replace("/", "_")
        self.database_name = column_name(path)
        self.table_name = column_name(name)
        database = glue.CfnDatabase(
            self,
            "Database",
            catalog_id=stack.account,
            database_input=glue.CfnDatabase.DatabaseInputProperty(name=self.database_name),
        )
        days = f"s3://{bucket.bucket_name}/days/"
        table = glue.CfnTable(
            self,
            "Table",
            catalog_id=stack.account,
            database_name=self.database_name,
            table_input=glue.CfnTable.TableInputProperty(
                name=self.table_name,
                table_type="EXTERNAL_TABLE",
                partition_keys=[glue.CfnTable.ColumnProperty(name="day", type="string")],
                parameters={
                    "EXTERNAL": "TRUE",
                    "projection.enabled": "true",
                    "projection.day.type": "date",
                    "projection.day.format": "yyyy-MM-dd",
                    # What is new may be of tomorrow, where clocks differ.
                    "projection.day.range": f"{since},NOW+1DAYS",
                    "storage.location.template": f"{days}day=${{day}}/",
                },
                storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                    location=days,
                    input_format=f"{_HIVE}.SymlinkTextInputFormat",
                    output_format=f"{_HIVE}.IgnoreKeyTextOutputFormat",
                    serde_info=glue.CfnTable.SerdeInfoProperty(
                        serialization_library=f"{_HIVE}.parquet.serde.ParquetHiveSerDe"
                    ),
                    columns=[
                        glue.CfnTable.ColumnProperty(name=name, type=type)
                        for name, type in (*((c.name, c.type) for c in plan.columns), *_OWN)
                    ],
                ),
            ),
        )
        table.node.add_dependency(database)
