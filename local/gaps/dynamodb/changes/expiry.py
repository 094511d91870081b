"""Gap: UpdateTimeToLive takes another attribute while items still expire by the first.

AWS also refuses a second change within about an hour, which would only keep people waiting here.
"""

from ministack.services import dynamodb

from local.gaps import expected
from local.gaps.dynamodb.changes.refusals import Refusal, Request, Table, invalid, refuse


def close() -> None:
    expected.attribute(dynamodb, "_ttl_settings")
    refuse("_update_ttl", reason)


def another_attribute(current: str) -> str:
    return f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"


def reason(table: Table, request: Request) -> Refusal | None:
    """Why the table's expiry cannot be changed so."""
    wanted = request.get("TimeToLiveSpecification") or {}
    setting = dynamodb._ttl_settings.get(table["TableName"]) or {}
    active = setting.get("TimeToLiveStatus") == "ENABLED"
    if active and wanted.get("AttributeName") != setting["AttributeName"]:
        return invalid(another_attribute(setting["AttributeName"]))
    if bool(wanted.get("Enabled")) is active:
        return invalid(f"TimeToLive is already {'enabled' if active else 'disabled'}")
    return None
