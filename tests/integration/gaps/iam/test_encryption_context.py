"""A key of KMS is used for what a policy names, and for nothing else."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import Cloud
from tests.integration.gaps.iam.roles import only

KEYS = "arn:aws:kms:*:*:key/*"
OWN = {"StringEquals": {"kms:EncryptionContext:table": "orders"}}


class Unwrapping:
    """Has data keys unwrapped by who may do so for orders alone."""

    def __init__(self, cloud: Cloud) -> None:
        self._root = cloud.client("kms")
        self._client: Any = only(cloud, "kms:Decrypt", KEYS, condition=OWN)

    def is_allowed(self, table: str, *, multi_region: bool) -> bool:
        key = self._root.create_key(MultiRegion=multi_region)["KeyMetadata"]["Arn"]
        asked = {"EncryptionContext": {"table": table}}
        made = self._root.generate_data_key(KeyId=key, KeySpec="AES_256", **asked)
        try:
            answer = self._client.decrypt(CiphertextBlob=made["CiphertextBlob"], **asked)
        except ClientError as error:
            if "not authorized" not in str(error):
                raise
            return False
        assert answer["Plaintext"] == made["Plaintext"]
        return True


def test_a_data_key_is_unwrapped_for_the_table_that_a_policy_names(cloud: Cloud) -> None:
    unwrapping = Unwrapping(cloud)
    for multi_region in (False, True):
        assert unwrapping.is_allowed("orders", multi_region=multi_region)
        assert not unwrapping.is_allowed("customers", multi_region=multi_region)


@pytest.mark.parametrize(
    ("gap", "multi_region"), [("iam.encryption_context", False), ("iam.multi_region_keys", True)]
)
def test_without_the_gap_closed_nothing_is_unwrapped(
    cloud_without: Callable[[str], Cloud], gap: str, multi_region: bool
) -> None:
    unwrapping = Unwrapping(cloud_without(gap))
    assert not unwrapping.is_allowed("orders", multi_region=multi_region)
