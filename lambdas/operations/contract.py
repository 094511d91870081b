"""Contract of what looks after a stage: environment and events, for its stack and function."""

from lambdas.contract import Environment

# Of the event that tells what is recommended.
EVENT_SOURCE = "tablewright.costs"
DETAIL_TYPE = "CostRecommendations"
# Objects of the bucket: what was last read, and a report of each day that a run was on.
USAGE = "usage.json"
REPORTS = "reports/"


class RecommendEnvironment(Environment):
    """What the function is told: what to look at, where reports go, and who hears of how much."""

    # JSON of `StageResources`.
    resources: str
    bucket: str
    # Dollars a month from which the topic is told.
    told_from: str
    topic_arn: str | None = None
