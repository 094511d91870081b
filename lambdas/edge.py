"""The edge: requests that came through the firewall, where a stage has one.

CloudFront adds a header with a key to every request that the firewall lets through. A function that
is told the key refuses requests without it: they were sent to the API's own address.
Standard library and contract only.
"""

import hmac
import os
from collections.abc import Mapping

from lambdas.contract import EDGE_HEADER, EDGE_KEY

REFUSED = "This API is reached through its CloudFront address only."


def came_through(headers: Mapping[str, str]) -> bool:
    """True if the request has the key, or the stage has no firewall."""
    key = os.environ.get(EDGE_KEY)
    # API Gateway writes the names of headers small.
    return key is None or hmac.compare_digest(headers.get(EDGE_HEADER, "").encode(), key.encode())
