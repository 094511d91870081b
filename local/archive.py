"""Archives of the local cloud: compacted now, and listed by day."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from local.deployment import Deployment
from local.emulator.connection import Connection
from local.emulator.home import LocalCloudError
from tablewright.runtime.archive.reader import ArchiveReader
from tablewright.runtime.boto3_client import Boto3Client

SYSTEMS = ("sales", "sentiment", "portal")


def compacted(connection: Connection, deployment: Deployment) -> Iterator[str]:
    """Compact each archive, with what came in until now; gives a line for each of its days."""
    until = json.dumps({"until": datetime.now(UTC).isoformat()}).encode()
    for system in SYSTEMS:
        answer = connection.client("lambda").invoke(
            FunctionName=deployment.output(system, "CompactFunction"), Payload=until
        )
        said = answer["Payload"].read().decode()
        if "FunctionError" in answer:
            raise LocalCloudError(f"The compact function of {system} failed: {said}")
        bucket = deployment.output(system, "ArchiveBucket")
        archive = ArchiveReader(Boto3Client(connection.client("s3")), bucket)
        yield f"{system}: s3://{bucket}"
        for day in archive.days():
            yield f"    {day}  {sum(1 for _ in archive.items(day))} items"
