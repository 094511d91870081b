"""Actions that AWS itself takes in a function's name, by what it takes them for."""

LOGS_AND_TRACES = frozenset(
    {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }
)
QUEUE = frozenset({"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"})
STREAM = frozenset(
    {
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
    }
)
# Where records of a stream are kept that failed, and events that did.
FAILURES = frozenset({"s3:ListBucket", "s3:PutObject"})
FAILED_EVENTS = frozenset({"sqs:SendMessage"})
