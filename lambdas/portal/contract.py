"""Contract of the portal: routes, environments, roles, metrics and prefixes of its buckets."""

from lambdas.contract import Environment, PagesEnvironment, Route

_CONTENT, _NOTIFICATION = "/content/{content_id}", "/notifications/{notification_id}"
_SUBSCRIPTION = "/subscriptions/{subscription_id}"

LIST_CONTENT = Route("GET", "/content")
CREATE_CONTENT = Route("POST", "/content")
# Not beneath /content, where any name can be the id of a content.
SEARCH_CONTENT = Route("GET", "/search")
GET_CONTENT = Route("GET", _CONTENT)
CHANGE_CONTENT = Route("PATCH", _CONTENT)
DELETE_CONTENT = Route("DELETE", _CONTENT)
MOVE_CONTENT = Route("POST", f"{_CONTENT}/status")
DOWNLOAD_FILE = Route("GET", f"{_CONTENT}/file")
UPLOAD_FILE = Route("POST", f"{_CONTENT}/file")
OPENAPI = Route("GET", "/openapi.json")

LIST_NOTIFICATIONS = Route("GET", "/notifications")
COUNT_UNREAD = Route("GET", "/notifications/unread-count")
GET_NOTIFICATION = Route("GET", _NOTIFICATION)
MARK_READ = Route("POST", f"{_NOTIFICATION}/read")
MARK_ALL_READ = Route("POST", "/notifications/read")
LIST_SUBSCRIPTIONS = Route("GET", "/subscriptions")
SUBSCRIBE = Route("POST", "/subscriptions")
GET_SUBSCRIPTION = Route("GET", _SUBSCRIPTION)
UNSUBSCRIBE = Route("DELETE", _SUBSCRIPTION)

LIST_EVENTS = Route("GET", "/events")
APPEND_EVENTS = Route("POST", "/events")

CONTENT_ROUTES = (
    *(LIST_CONTENT, CREATE_CONTENT, GET_CONTENT, CHANGE_CONTENT, DELETE_CONTENT, MOVE_CONTENT),
    *(DOWNLOAD_FILE, UPLOAD_FILE, SEARCH_CONTENT, OPENAPI),
)
INBOX_ROUTES = (
    *(LIST_NOTIFICATIONS, COUNT_UNREAD, GET_NOTIFICATION, MARK_READ, MARK_ALL_READ),
    *(LIST_SUBSCRIPTIONS, SUBSCRIBE, GET_SUBSCRIPTION, UNSUBSCRIBE),
)
EVENT_ROUTES = (LIST_EVENTS, APPEND_EVENTS)
ROUTES = (*CONTENT_ROUTES, *INBOX_ROUTES, *EVENT_ROUTES)

# Groups of the user pool that let somebody in. Whoever is in any of them is a reader.
ROLES = READERS, AUTHORS, APPROVERS, ADMINS = ("readers", "authors", "approvers", "admins")

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
