"""Well-known designs of DynamoDB, declared: one module for each, to be read in any order.

A module has its entities, its table with the access patterns and, where a pattern takes more than
one call of a store, a function for it.
"""

from examples.designs.chat import Chat
from examples.designs.clickstream import Clickstream
from examples.designs.device_log import DeviceLog
from examples.designs.employees import Employees
from examples.designs.games import Games
from examples.designs.leaderboard import Leaderboard
from examples.designs.recurring_payments import RecurringPayments
from examples.designs.sessions import Sessions
from examples.designs.shop import Shop
from examples.designs.social_graph import SocialGraph
from examples.designs.tickets import Tickets
from examples.designs.unique_emails import UniqueEmails
from examples.designs.url_shortener import UrlShortener
from examples.designs.version_history import VersionHistory
from tablewright.model import Table

DESIGNS: tuple[type[Table], ...] = (
    Sessions,
    UniqueEmails,
    Chat,
    Shop,
    RecurringPayments,
    SocialGraph,
    Games,
    Leaderboard,
    Tickets,
    VersionHistory,
    Employees,
    UrlShortener,
    DeviceLog,
    Clickstream,
)
