"""KMS and Secrets Manager, as far as data keys need them, behind the seam to AWS."""

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from botocore import xform_name

from tablewright.runtime.errors import ResourceMissing, StoreError
from tablewright.runtime.secrets.keys import DataKeys
from tablewright.runtime.secrets.rotation import Rotation

RING = "ring"
KMS_KEY = "kms-key"
Params = dict[str, Any]


class KeyServices:
    """One secret with its versions, one key, and a clock that tests set."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.now = datetime(2026, 11, 17, 12, tzinfo=UTC)
        self.versions: dict[str, str] = {}
        self.stages: dict[str, str] = {}
        self.calls: list[str] = []
        self.fails: StoreError | None = None
        self._made = count()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        if self.fails:
            raise self.fails
        answer: dict[str, Any] = getattr(self, f"_{xform_name(operation)}")(params)
        return answer

    def wait(self, **more: int) -> None:
        self.now += timedelta(**more)

    def keys(self, caller: Any = None, table: str | None = None) -> DataKeys:
        """The keys as a program has them that starts now."""
        edge = caller or self
        return DataKeys(
            table or self.table,
            RING,
            KMS_KEY,
            secretsmanager=lambda: edge,
            kms=lambda: edge,
            clock=lambda: self.now.timestamp(),
        )

    def rotation(self, caller: Any = None) -> Rotation:
        edge = caller or self
        return Rotation(self.table, RING, secretsmanager=edge, kms=edge, now=lambda: self.now)

    def _get_secret_value(self, asked: Params) -> dict[str, Any]:
        if "AWSCURRENT" not in self.stages:
            raise ResourceMissing("GetSecretValue: ResourceNotFoundException")
        version = self.stages["AWSCURRENT"]
        return {"SecretString": self.versions[version], "VersionId": version}

    def _put_secret_value(self, asked: Params) -> dict[str, Any]:
        version = asked["ClientRequestToken"]
        self.versions[version] = asked["SecretString"]
        first = [] if "AWSCURRENT" in self.stages else ["AWSCURRENT"]
        stages = [*asked["VersionStages"], *first]
        self.stages |= dict.fromkeys(stages, version)
        return {"VersionId": version, "VersionStages": stages}

    def _update_secret_version_stage(self, asked: Params) -> dict[str, Any]:
        stage, to = asked["VersionStage"], asked["MoveToVersionId"]
        if self.stages.get(stage) not in (asked.get("RemoveFromVersionId"), to):
            raise StoreError("UpdateSecretVersionStage: InvalidParameterException")
        self.stages[stage] = to
        return {}

    def _generate_data_key_without_plaintext(self, asked: Params) -> dict[str, Any]:
        assert (asked["KeyId"], asked["KeySpec"]) == (KMS_KEY, "AES_256")
        wrapped = {"number": next(self._made), "context": asked["EncryptionContext"]}
        return {"CiphertextBlob": json.dumps(wrapped).encode()}

    def _decrypt(self, asked: Params) -> dict[str, Any]:
        wrapped = json.loads(asked["CiphertextBlob"])
        if asked["KeyId"] != wrapped.get("key", KMS_KEY):
            raise StoreError("Decrypt: IncorrectKeyException")
        if wrapped["context"] != asked["EncryptionContext"]:
            raise StoreError("Decrypt: InvalidCiphertextException")
        return {"Plaintext": sha256(asked["CiphertextBlob"]).digest()}
