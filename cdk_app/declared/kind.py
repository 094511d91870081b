"""Settings that say what a stage is for: its data, its place, what may be removed from it."""

import re

from cdk_app.parsers import choice, listed, matching, or_empty, switch
from cdk_app.setting import Setting
from cdk_app.stage_file import PROTECTED
from tablewright.constructs import Protection

_RESOURCE = matching(
    re.compile(r"tablewright-[A-Za-z0-9-]+(/[A-Za-z0-9_.-]+)*"), "a stack, or a stack/resource"
)
_DATA = {
    "throw-away": Protection.throw_away(),
    "recoverable": Protection.recoverable(),
    PROTECTED: Protection.protected(),
}

DATA = Setting(
    name="data",
    parser=choice(_DATA),
    example="recoverable",
    default=PROTECTED,
    file_only=True,
    says="What becomes of tables, buckets and whatever else has data when the stage is destroyed: "
    "throw-away data goes, other data stays, and what is protected cannot be deleted before its "
    "protection is taken off.",
)
TARGET = Setting(
    name="target",
    parser=choice({"aws": False, "this-machine": True}),
    example="this-machine",
    default="aws",
    file_only=True,
    says="Where the stage is deployed: to AWS, or to the local cloud of `make local`.",
)
DEVELOPMENT = Setting(
    name="development",
    parser=switch(),
    example="on",
    default="off",
    says="A stage to develop on: scripts sign in with a plain password, and `cors_origins` can "
    "have pages of somebody's own machine.",
)
REMOVALS = Setting(
    name="removals",
    parser=or_empty(listed(_RESOURCE)),
    example="tablewright-prod-sentiment/AcceleratorCluster",
    default="none",
    file_only=True,
    says="What `make deploy` [may remove](deploying.md#what-a-deployment-does-not-remove) although "
    "it has data or is paid for by the hour: the lines that it prints.",
)
