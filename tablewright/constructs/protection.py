"""Protection of data: one choice that sets removal, recovery and backups together."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy

# Kept when its stack is deleted, but not when it was never made whole: else the next attempt to
# make it would find its name taken.
KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE


@dataclass(frozen=True)
class Backups:
    """Days that AWS Backup keeps the daily copies, and the monthly ones if there are any."""

    daily_days: int
    monthly_days: int | None = None

    @property
    def copies(self) -> int:
        """Copies that exist at once. Each is paid for whole."""
        return self.daily_days + (self.monthly_days or 0) // 30


@dataclass(frozen=True, kw_only=True)
class Protection:
    """What stands between the data and its loss.

    Example::

        DesignTable(self, "Sales", design=Sales, protection=Protection.recoverable())
    """

    removal_policy: RemovalPolicy
    deletion_protection: bool
    recovery_days: int | None
    backups: Backups | None

    @property
    def is_throw_away(self) -> bool:
        """True if the data goes with its stack."""
        return self.removal_policy is RemovalPolicy.DESTROY

    @classmethod
    def throw_away(cls) -> "Protection":
        """Gone with the stack: for data that a script can make again."""
        return cls(
            removal_policy=RemovalPolicy.DESTROY,
            deletion_protection=False,
            recovery_days=None,
            backups=None,
        )

    @classmethod
    def recoverable(cls) -> "Protection":
        """Stays when its stack is deleted, and can be taken back to any moment of a week."""
        return cls(
            removal_policy=KEPT,
            deletion_protection=False,
            recovery_days=7,
            backups=None,
        )

    @classmethod
    def protected(cls) -> "Protection":
        """Cannot be deleted; any moment of 35 days can be restored, and daily copies of a week."""
        return cls(
            removal_policy=KEPT,
            deletion_protection=True,
            recovery_days=35,
            backups=Backups(daily_days=7),
        )
