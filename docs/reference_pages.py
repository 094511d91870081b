"""Pages of the API reference: which names stand on which, in which order."""

from typing import NamedTuple


class Section(NamedTuple):
    """Names of one package or module, under one heading."""

    title: str
    package: str
    names: str


class Page(NamedTuple):
    """One page: the name of its file, its heading, what it says first, its sections."""

    name: str
    title: str
    says: str
    sections: tuple[Section, ...]


_MODEL = "tablewright.model"
_RUNTIME = "tablewright.runtime"
_CONSTRUCTS = "tablewright.constructs"
_DESIGNS = "tablewright.designs"
_CATALOG = "tablewright.catalog"
_CHANGES = "tablewright.changes"
_TESTING = "tablewright.testing"
_COSTS = "tablewright.costs"
_RECOMMENDATIONS = "tablewright.recommendations"

PAGES = (
    Page(
        "declaration",
        "Declaration",
        "What a table is: entities with typed fields, keys, indexes, expiry, shards.",
        (
            Section("Entities", _MODEL, "Entity Part key_of replaced unchecked Record"),
            Section("Tables", _MODEL, "Table Index ALL KEYS_ONLY"),
            Section("Settings of a table", f"{_MODEL}.declaration", "Settings"),
            Section("Keys and expiry", _MODEL, "Key Computed Reversed Digest Expiry"),
            Section(
                "Fields",
                _MODEL,
                "Field IN_KEY Text Prose Lines Name Choice Flag Timestamp TimestampText "
                "EpochTimestamp Date DateText HourText TimeId Number Money Fraction Whole SetOf "
                "ListOf PartOf Document Binary Tally truncate_time",
            ),
            Section(
                "Shards",
                _MODEL,
                "Shards ShardFunction uniform last_character java_hash EpochShards Epochs Epoch "
                "EpochList",
            ),
            Section("Validation", f"{_MODEL}.validation.design", "check validate"),
            Section("What a declaration is worked out to", _MODEL, "Design EntityModel"),
            Section("What DynamoDB knows of a table", f"{_MODEL}.table_form", "TableForm"),
        ),
    ),
    Page(
        "patterns",
        "Access patterns",
        "What an application does with a table. A pattern is an attribute of its table's class; "
        "calls of the store, grants and the table's page name it.",
        (
            Section("Any pattern", _MODEL, "Pattern"),
            Section("One item", _MODEL, "Put Get Update Upsert Delete Check"),
            Section("Lists", _MODEL, "Query Collection Scan"),
            Section("Batches", _MODEL, "BatchGet BatchPut BatchCreate BatchDelete BatchWrite"),
            Section("Counters", _MODEL, "Count"),
        ),
    ),
    Page(
        "conditions",
        "Conditions and changes",
        "What items must be like (`when=`, `where=`), and what an update does to them. Every field "
        "of an entity's class is an operand, and so are its parts and its size.",
        (
            Section("Operands", f"{_MODEL}.operands", "Operand"),
            Section("What they make", _MODEL, "Condition Change"),
        ),
    ),
    Page(
        "store",
        "Store",
        "A table's access patterns, run against it.",
        (
            Section("Store", _RUNTIME, "Store Reader Page"),
            Section("What lists take", f"{_RUNTIME}.store.reader", "Where Keep"),
            Section("Transactions", f"{_RUNTIME}.store.transactions", "Action Read"),
            Section("Cursors", _RUNTIME, "Cursors KeyRing SecretKeys"),
            Section("Secret fields", _RUNTIME, "Secrets DataKeys"),
            Section("Data keys", f"{_RUNTIME}.secrets.ring", "Ring"),
            Section(
                "Clients",
                _RUNTIME,
                "connect own_session Caller Transport Backoff in_time Meter Boto3Client "
                "DeferredClient client_config",
            ),
            Section("DAX", f"{_RUNTIME}.dax", "Accelerated"),
            Section("Tenants", _RUNTIME, "Tenants"),
        ),
    ),
    Page(
        "runtime",
        "Streams, messages and what else runs",
        "What functions around a table are made of.",
        (
            Section("Streams", _RUNTIME, "Change consume Projection Counters Event FailedRecords"),
            Section("Messages", _RUNTIME, "Queue Topic"),
            Section("What topics take", f"{_RUNTIME}.messaging.topic", "Message"),
            Section("Healing", _RUNTIME, "Healing Parked"),
            Section("Plans of healing", f"{_MODEL}.healing", "HealingPlan Healable"),
            Section("Old items, for archives", f"{_MODEL}.old_items", "OlderThan"),
            Section("Rules of healing", f"{_RUNTIME}.healing.healing", "Rules Healed"),
            Section("Ids, shard counts", _RUNTIME, "uuid7 ShardCounts"),
            Section("Regions", _RUNTIME, "Regions RegionalCaller"),
            Section("Switch of regions", f"{_MODEL}.regions", "RegionSwitch ActiveRegion"),
            Section("Shard epochs", _RUNTIME, "EpochCache"),
            Section("Times of epochs", f"{_RUNTIME}.sharding.epochs", "EpochTiming"),
        ),
    ),
    Page(
        "errors",
        "Errors",
        "What is raised, and what to do about it. All are a `TablewrightError`.",
        (
            Section(
                "Of declarations and values",
                _MODEL,
                "TablewrightError DesignError InvalidRecord InvalidValue",
            ),
            Section(
                "Of calls",
                _RUNTIME,
                "StoreError NotFound AlreadyExists Conflict OutOfBounds "
                "TransactionRefused TransactionCanceled TokenUsed "
                "DuplicateKeys ItemTooLarge Throttled ItemBusy Unavailable Unreachable OutOfTime "
                "AccessDenied ResourceMissing NoDataKeys "
                "SecretUnreadable MalformedItem",
            ),
            Section(
                "Of cursors",
                _RUNTIME,
                "CursorError CursorExpired CursorTampered CursorOfAnotherCaller "
                "CursorOfAnotherQuery",
            ),
            Section("Of grants and bundles", _CONSTRUCTS, "GrantError BundlingError"),
        ),
    ),
    Page(
        "constructs",
        "Constructs",
        "Tables and what stands around them, for CDK apps.",
        (
            Section(
                "Tables",
                _CONSTRUCTS,
                "DesignTable DesignTableBase WriteTable DayPartitionedTable ShardedTenantTable "
                "REPLICAS Protection Backups Capacity Scaling TenantAccessRole Accelerator "
                "FieldKeys ReplicaFieldKeys",
            ),
            Section(
                "Functions",
                _CONSTRUCTS,
                "PythonFunction Network PythonCode Source Platform LIBRARY_SOURCES JwtHttpApi "
                "CursorKey",
            ),
            Section(
                "Streams and queues",
                _CONSTRUCTS,
                "StreamConsumer FailureStore EventPipe EventQueue MessageQueue WorkQueue "
                "SelfHealing ReplicaStream Archive Backfill",
            ),
            Section(
                "Alarms and costs",
                _CONSTRUCTS,
                "AlarmTopic AlarmLevel TableAlarms FunctionAlarms ApiAlarms AccountAlarms "
                "CostAlerts",
            ),
            Section("Rules for cdk-nag", f"{_CONSTRUCTS}.nag", "TablewrightChecks RULE_IDS"),
        ),
    ),
    Page(
        "catalog",
        "Catalogue",
        "Constructs of the ready-made tables ([what they are for](../catalog.md)).",
        (
            Section("Sales", f"{_CATALOG}.sales.constructs", "SalesTable"),
            Section(
                "Sentiment",
                f"{_CATALOG}.sentiment.constructs",
                "SentimentItemsTable SentimentDashboardTable",
            ),
            Section("News", f"{_CATALOG}.news.constructs", "NewsTable"),
            Section("Forms", f"{_CATALOG}.forms.constructs", "FormsTable"),
            Section(
                "Portal",
                f"{_CATALOG}.portal.constructs",
                "ContentRegistryTable ContentSearchTable NotificationsTable SubscriptionsTable "
                "EventsTable",
            ),
        ),
    ),
    Page(
        "designs",
        "Designs as data",
        "A design as plain JSON, and as the Python that declares it "
        "([guide](../guide/workbench.md)).",
        (
            Section(
                "Descriptions",
                _DESIGNS,
                "describe build_table Description FORMAT Indescribable InvalidDescription",
            ),
            Section("Source", _DESIGNS, "python_source Beside"),
        ),
    ),
    Page(
        "changes",
        "Changes of live tables",
        "How two designs work together on one table ([verdicts](../changes.md)); the steps from "
        "one to the other; items rewritten and verified ([how](../backfill.md)); designs proposed "
        "for tables that exist ([how](../adopting.md)).",
        (
            Section("Compatibility", _CHANGES, "compare Verdict Outcome Finding"),
            Section("Plan", _CHANGES, "plan_steps Plan Step Kind Estimate NotInPlace InvalidPlan"),
            Section("Carrying it out", _CHANGES, "apply undo Work LiveTable Drifted Unfinished MigrationState LeaseHeld"),
            Section("Backfill", _CHANGES, "Backfill OUTCOMES UNSETTLED Reason NotBackfillable"),
            Section("Its estimate", _CHANGES, "estimate BackfillEstimate"),
            Section("Verification", _CHANGES, "verify Verification Found IndexCheck"),
            Section(
                "Copy to a new table",
                _CHANGES,
                "TablePointer TableMoved TableClosing MigrationDesigns",
            ),
            Section("Adoption", _CHANGES, "propose Proposal coverage Coverage Gap"),
        ),
    ),
    Page(
        "recommendations",
        "Cost recommendations",
        "What would make a stage cost less, from what it did "
        "([how it is reckoned](../recommendations.md)).",
        (
            Section(
                "Recommendations",
                _RECOMMENDATIONS,
                "recommendations Recommendation Change Kind Confidence Rules total setting_lines",
            ),
            Section(
                "Usage",
                _RECOMMENDATIONS,
                "StageUsage TableUsage IndexUsage Units Size ShardUsage AcceleratorUsage "
                "LogGroupUsage AlarmUsage read_usage write_usage InvalidUsage",
            ),
            Section("Reading it from AWS", f"{_RECOMMENDATIONS}.reading.reader", "UsageReader"),
            Section(
                "What is read",
                f"{_RECOMMENDATIONS}.reading.resources",
                "StageResources TableName",
            ),
        ),
    ),
    Page(
        "costs",
        "Costs of designs",
        "What access patterns consume, and what a month costs "
        "([how it is used](../guide/costs.md)).",
        (
            Section(
                "Measuring",
                f"{_COSTS}.measuring",
                "Measuring Scenario measured read_measurements write_measurements "
                "InvalidMeasurements",
            ),
            Section(
                "Traffic", f"{_COSTS}.estimates.traffic", "Traffic PatternUse Kept FunctionUse"
            ),
            Section(
                "Traffic files", f"{_COSTS}.estimates.traffic_file", "read_traffic TrafficFile"
            ),
            Section("Estimates", f"{_COSTS}.estimates.estimate", "estimate Estimate Line"),
            Section("Prices", f"{_COSTS}.prices", "Prices InvalidPrices"),
            Section("Prices by region", f"{_COSTS}.price_lists", "price_list UnknownRegion"),
        ),
    ),
    Page(
        "testing",
        "Testing kit",
        "Databases on a local engine, random records, faults at every call, budgets, least "
        "privilege, tenants ([guide](../guide/testing.md)).",
        (
            Section(
                "Fixtures",
                f"{_TESTING}.plugin",
                "dynamodb module_dynamodb dynamodb_databases dynamodb_local",
            ),
            Section("Databases", _TESTING, "Database Databases StoreSettings"),
            Section("Random records", _TESTING, "records"),
            Section("Engine", _TESTING, "DynamoDbLocal Credentials DynamoDbLocalError"),
            Section("Where it is", f"{_TESTING}.dynamodb_local", "home java"),
            Section("Tables", _TESTING, "create"),
            Section("Faults", _TESTING, "survives_every_fault Calls AwsCall Faulty Fault Crash"),
            Section("Budgets", _TESTING, "costs_at_most Costs Cost FaithfulMeter Meter"),
            Section(
                "Least privilege", _TESTING, "least_privilege Privileges Recorder TemplateError"
            ),
            Section("Tenants", _TESTING, "isolated"),
        ),
    ),
)
