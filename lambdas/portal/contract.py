"""Contract of the portal: routes, environments, roles, metrics and prefixes of its buckets."""

from lambdas.contract import Environment, PagesEnvironment, Route

_CONTENT, _NOTIFICATION = "/content/{content_id}", "/notifications/{notification_id}"
_SUBSCRIPTION = "/subscriptions/{subscription_id}"

LIST_CONTENT = Route("GET", "/content")
CREATE_CONTENT = Route("POST", "/content")
# Not beneath /content, where any name can be the id of a content.
SEARCH_CONTENT = Route("GET", "/search")
GET_CONTENT = Route("GET", _CONTENT)
UPDATE_CONTENT = Route("PATCH", _CONTENT)
DELETE_CONTENT = Route("DELETE", _CONTENT)
SET_STATUS = Route("POST", f"{_CONTENT}/status")
WITHDRAW_DRAFT = Route("DELETE", f"{_CONTENT}/draft")
DOWNLOAD_FILE = Route("GET", f"{_CONTENT}/file")
UPLOAD_FILE = Route("POST", f"{_CONTENT}/file")
OPENAPI = Route("GET", "/openapi.json")

LIST_NOTIFICATIONS = Route("GET", "/notifications")
COUNT_UNREAD = Route("GET", "/notifications/unread-count")
GET_NOTIFICATION = Route("GET", _NOTIFICATION)
MARK_AS_READ = Route("POST", f"{_NOTIFICATION}/read")
MARK_ALL_READ = Route("POST", "/notifications/read")
LIST_SUBSCRIPTIONS = Route("GET", "/subscriptions")
CREATE_SUBSCRIPTION = Route("POST", "/subscriptions")
GET_SUBSCRIPTION = Route("GET", _SUBSCRIPTION)
DELETE_SUBSCRIPTION = Route("DELETE", _SUBSCRIPTION)

LIST_EVENTS = Route("GET", "/events")
STORE_EVENTS = Route("POST", "/events")

CONTENT_ROUTES = (
    *(LIST_CONTENT, CREATE_CONTENT, GET_CONTENT, UPDATE_CONTENT, DELETE_CONTENT, SET_STATUS),
    *(WITHDRAW_DRAFT, DOWNLOAD_FILE, UPLOAD_FILE, SEARCH_CONTENT, OPENAPI),
)
INBOX_ROUTES = (
    *(LIST_NOTIFICATIONS, COUNT_UNREAD, GET_NOTIFICATION, MARK_AS_READ, MARK_ALL_READ),
    *(LIST_SUBSCRIPTIONS, CREATE_SUBSCRIPTION, GET_SUBSCRIPTION, DELETE_SUBSCRIPTION),
)
EVENT_ROUTES = (LIST_EVENTS, STORE_EVENTS)
ROUTES = (*CONTENT_ROUTES, *INBOX_ROUTES, *EVENT_ROUTES)

# Groups of the user pool that let somebody in. Whoever is in any of them is a reader.
ROLES = READERS, AUTHORS, APPROVERS, ADMINS = ("readers", "authors", "approvers", "admins")

# How content is approved: by people with the role, or by a second person with it.
REVIEWS = ROLE, TWO_PERSON = ("role", "two-person")

# Metrics that alarms watch.
CALENDAR_FAILURES = "CalendarFailures"

# Keys of the files of content begin so.
FILES_PREFIX = "content/"


class ContentEnvironment(Environment):
    """Variables of the functions that work on content and its files."""

    content_table: str
    files_bucket: str


class ContentApiEnvironment(ContentEnvironment, PagesEnvironment):
    search_table: str
    cursor_secret_arn: str
    review: str | None = None


class IndexEnvironment(Environment):
    """Variables of the functions that keep the search index."""

    content_table: str
    search_table: str


class InboxApiEnvironment(PagesEnvironment):
    notifications_table: str
    subscriptions_table: str
    cursor_secret_arn: str


class EventsEnvironment(Environment):
    """Variables of the functions that work on events; a table without shards has no number, one
    whose events are kept as long as usual no days."""

    events_table: str
    event_shards: str | None = None
    event_days: str | None = None


class EventsApiEnvironment(EventsEnvironment, PagesEnvironment):
    cursor_secret_arn: str


class PublishEnvironment(Environment):
    fanout_queue_url: str


class NotifyEnvironment(PublishEnvironment):
    content_table: str
    subscriptions_table: str
    notifications_table: str
