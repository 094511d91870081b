"""Resources of the function that takes submissions in."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from lambdas.forms.clients import Clients
from lambdas.forms.contract import SubmitEnvironment
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.admission import Admission
from lambdas.forms.submission.domain_lookup import DomainLookupManager
from lambdas.forms.submission.intake import SubmissionIntake
from lambdas.forms.submission.rate_limit import RateLimit
from lambdas.forms.submission.tenant_lookup import TenantLookup
from lambdas.forms.submission.uploads import SIGNING, Uploads


class Resources(NamedTuple):
    """What a request goes through. Kept for the life of the function's environment."""

    admission: Admission
    submissions: SubmissionIntake
    uploads: Uploads
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: SubmitEnvironment) -> "Resources":
        clients = Clients.of(environment)
        store, bucket = clients.store(), environment.payloads_bucket
        tenants = TenantLookup(store, clients.secrets, environment.secrets_prefix)
        s3 = clients.files(**SIGNING)
        days = environment.submission_days
        return cls(
            Admission(DomainLookupManager(store), tenants, RateLimit(store)),
            SubmissionIntake(
                store, PayloadCompressionManager(s3, bucket), int(days) if days else None
            ),
            Uploads(s3, bucket, s3.presign),
        )
