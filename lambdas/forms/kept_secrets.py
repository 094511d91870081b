"""Values of tenants' secrets, read where they are kept and remembered for a while."""

import time
from collections.abc import Callable

from lambdas.forms.remembered import Remembered
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing, StoreError

# The value under a key id never changes: rotation makes another key, and no id is used again. It is
# looked at again so that what was destroyed is not used for ever.
_LIFE = 300.0
# A secret that is being deleted is refused as an invalid request.
_BEING_DELETED = ": InvalidRequestException:"


class KeptSecrets:
    """The secret of a tenant by the id of its key, in Secrets Manager under `prefix`.

    By its name and not by an ARN in an item: what is read is of this tenant, whatever an item says.
    """

    def __init__(
        self, secrets: Caller, prefix: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._secrets = secrets
        self._prefix = prefix
        self._values = Remembered(self._read, life=_LIFE, hold=True, clock=clock)

    def __call__(self, tenant_id: str, key_id: str) -> str | None:
        """The secret, None when there is none, or none any more."""
        return self._values.get(f"{self._prefix}{tenant_id}/{key_id}")

    def _read(self, name: str) -> str | None:
        try:
            answer = self._secrets.call("GetSecretValue", {"SecretId": name})
        except ResourceMissing:  # as every resource of AWS that does not exist
            return None
        except StoreError as error:
            if _BEING_DELETED in str(error):
                return None
            raise
        return str(answer["SecretString"])
