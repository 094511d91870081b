"""The mark of an item that was brought back from a backup.

To the table's stream such an item is new, and yet it is no news: whoever acts on what is created
passes over it, whoever mirrors what is there takes it as any other.
"""

from __future__ import annotations

from typing import Any

# Holds the name of the restored table. No field of a design is stored under it.
RESTORED_FROM = "restored_from"

# As a part of a new image, in a pattern of stream records. At a leaf, where alone it works; it
# matches when the whole attribute is missing.
NOT_RESTORED: dict[str, Any] = {RESTORED_FROM: {"S": [{"exists": False}]}}
