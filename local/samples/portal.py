"""Content to look at: some approved, some still drafts, and a reader who wants to be told."""

from local.clients.portal import Portal
from local.clients.users import READER

APPROVED = (
    ("sample-positioning", "Positioning the data platform", "Warehouse", ["demo", "pitch"]),
    ("sample-migration", "Moving from another warehouse", "Warehouse", ["migration"]),
    ("sample-streams", "Streams in ten minutes", "Streaming", ["demo"]),
)
DRAFTS = (("sample-pricing", "Pricing, next year", "Warehouse", ["pricing"]),)


def load(portal: Portal) -> int:
    """Store what is not there yet; gives how many contents."""
    if portal.api(READER)("GET", f"/content/{APPROVED[0][0]}").status == 200:
        return 0
    portal.subscribe()
    for samples, approved in ((APPROVED, True), (DRAFTS, False)):
        for content_id, title, concept, tags in samples:
            made = portal.create(title, content_id=content_id, product_concept=concept, tags=tags)
            if approved:
                portal.approve(made)
    return len(APPROVED) + len(DRAFTS)
