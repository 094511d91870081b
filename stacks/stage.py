"""What the stacks must know about the stage that they are deployed to."""

from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Environment, RemovalPolicy
from aws_cdk import aws_logs as logs

from tablewright.constructs import LIBRARY_SOURCES, Capacity, Platform, Protection, Source
from tablewright.constructs.bundling import PythonCode


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One deployment of the whole application; `root` is the folder of the project."""

    name: str
    root: Path
    environment: Environment
    protection: Protection
    capacity: Capacity
    platform: Platform
    log_retention: logs.RetentionDays
    replicas: tuple[str, ...] = ()
    alarm_email: str | None = None
    # Scripts sign in with a plain password; people's browsers prove it without sending it.
    password_sign_in: bool = False
    threat_protection: bool = True

    @property
    def log_removal(self) -> RemovalPolicy:
        return self.protection.removal_policy

    def stack_name(self, system: str) -> str:
        return f"tablewright-{self.name}-{system}"

    def code(self, system: str, *, services: tuple[str, ...]) -> PythonCode:
        """The code of one system's functions: its own folder, the HTTP parts and the library."""
        lambdas = self.root / "lambdas"
        return PythonCode(
            sources=(
                Source(lambdas / "__init__.py", "lambdas/__init__.py"),
                Source(lambdas / "http", "lambdas/http"),
                Source(lambdas / system, f"lambdas/{system}"),
                *LIBRARY_SOURCES,
            ),
            requirements=lambdas / "requirements.txt",
            services=services,
            platform=self.platform,
        )
