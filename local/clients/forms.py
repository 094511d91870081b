"""The form system as its people use it: an operator, tenants, and a web page that signs."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from lambdas.forms.submission.signing import key_name, sign
from local.clients.api import Answer, Api, ask, put
from local.clients.users import OPERATOR, Users
from local.deployment import STAGE, Deployment
from local.emulator.connection import Connection
from local.emulator.home import LocalCloudError

# As lambdas/forms/submission/uploads.py has it, whose other needs are not those of this machine.
UPLOADED = "application/vnd.tablewright.upload+json"
FORM = "contact"
SYSTEM = "forms"


class Forms:
    """One tenant's forms: made ready by the admin API, then filled in.

    Example::

        forms = Forms("acme", connection, deployment, users)
        forms.prepare()
        forms.submit({"name": "Ada"})
    """

    def __init__(
        self, tenant: str, connection: Connection, deployment: Deployment, users: Users
    ) -> None:
        self.tenant = tenant
        self._secrets = connection.client("secretsmanager")
        self._url = urlsplit(deployment.api_url(SYSTEM))
        self._deployment = deployment
        self._users = users

    @property
    def api(self) -> Api:
        """The admin API with a token of the tenant's."""
        return Api(self._deployment.api_url(SYSTEM), self._users.token(self.tenant))

    def prepare(self) -> bool:
        """Make the tenant, a form of it, its domain and its secret; False if it was there."""
        operator = Api(self._deployment.api_url(SYSTEM), self._users.token(OPERATOR))
        if operator("GET", "/config", tenant_id=self.tenant).status == 200:
            return False
        tenant = {"tenant_id": self.tenant, "name": self.tenant.title()}
        config = _done(operator("POST", "/tenants", tenant)).json
        api = self.api
        _done(api("POST", "/domains", {"domain": f"{self.tenant}.example"}))
        # On this machine a domain that nobody can own needs no record.
        _done(api("POST", f"/domains/{self.tenant}.example/verify"))
        _done(api("POST", "/secrets"))
        bus = {"destination_id": "bus", "destination_type": "eventbridge", "settings": {}}
        _done(api("POST", "/destinations", bus))
        form = {"destinations": ["bus"], "honeypot": ["website"]}
        change = {"forms": {FORM: form}, "updated_at": config["updated_at"]}
        _done(api("PATCH", "/config", change))
        return True

    def deliver_to(self, url: str, destination: str = "hook") -> None:
        """Have submissions delivered to an address of this machine as well."""
        api = self.api
        settings = {"url": url}
        there = api("GET", f"/destinations/{destination}")
        if there.status == 404:
            hook = {"destination_id": destination, "destination_type": "webhook"}
            _done(api("POST", "/destinations", {**hook, "settings": settings}))
        else:
            change = {"settings": settings, "updated_at": there.json["updated_at"]}
            _done(api("PATCH", f"/destinations/{destination}", change))
        config = _done(api("GET", "/config")).json
        form = config["forms"][FORM]
        if destination not in form["destinations"]:
            form["destinations"].append(destination)
            change = {"forms": config["forms"], "updated_at": config["updated_at"]}
            _done(api("PATCH", "/config", change))

    def submit(self, fields: Any, form: str = FORM) -> Answer:
        """Send a form as a page of the tenant's would: signed, from the tenant's domain."""
        return self._post(f"/forms/{form}/submissions", fields)

    def submit_upload(self, body: bytes, form: str = FORM) -> Answer:
        """Send JSON that is too large for a request: announced, uploaded, then submitted."""
        about = {
            "size": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "content_type": "application/json",
        }
        offer = _done(self._post(f"/forms/{form}/uploads", about)).json
        put(offer["url"], body, offer["headers"])
        named = {"upload_id": offer["upload_id"], **about}
        return self._post(f"/forms/{form}/submissions", named, kind=UPLOADED)

    def _post(self, path: str, document: Any, kind: str = "application/json") -> Answer:
        body = json.dumps(document).encode()
        key_id, secret = self._secret()
        headers = sign(
            secret,
            "POST",
            path,
            body,
            now=datetime.now(UTC),
            key=key_name(self.tenant, key_id),
            content_type=kind,
        )
        headers |= {"Content-Type": kind, "Origin": f"https://{self.tenant}.example"}
        return ask(self._url, "POST", self._url.path + path, body, headers)

    def hook_secret(self, destination: str = "hook") -> str:
        """What requests to a webhook are signed with."""
        return self._kept(_done(self.api("GET", f"/destinations/{destination}")).json["key_id"])

    def _secret(self) -> tuple[str, str]:
        keys = _done(self.api("GET", "/secrets")).json["items"]
        current = [key["key_id"] for key in keys if key["state"] == "current"]
        if not current:
            raise LocalCloudError(f"{self.tenant} has no secret. Load the samples: local seed")
        return current[0], self._kept(current[0])

    def _kept(self, key_id: str) -> str:
        name = f"{STAGE}/forms/{self.tenant}/{key_id}"
        try:
            return str(self._secrets.get_secret_value(SecretId=name)["SecretString"])
        except ClientError as error:
            raise LocalCloudError(f"The secret {name} cannot be read: {error}") from None


def _done(answer: Answer) -> Answer:
    if answer.status >= 400:
        raise LocalCloudError(f"The forms API answered {answer.status}: {answer.text}")
    return answer
