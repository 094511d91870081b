"""Regions that cannot have a stage, by the service that each lacks."""

# Other partitions than AWS's commercial one, by the beginning of their regions' names.
PARTITIONS = {
    "cn-": "Cognito user pools",
    "us-gov-": "EventBridge Pipes",
    **dict.fromkeys(("us-iso", "eu-iso"), "Cognito user pools"),
    "eusc-": "EventBridge Pipes",
}
WITHOUT_PIPES = frozenset(
    (
        *("ap-east-2", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7"),
        *("ca-west-1", "il-central-1", "mx-central-1"),
    )
)


def missing_service(region: str, *, replica: bool = False) -> str | None:
    """Return the service that a stage needs in a region and that the region lacks.

    Pipes run at home only, so a replica may be in a region without them.
    """
    for beginning, service in PARTITIONS.items():
        if region.startswith(beginning):
            return service
    return "EventBridge Pipes" if region in WITHOUT_PIPES and not replica else None
