"""Changes of live tables: verdicts, plans, backfills, verification, and adoption of tables.

Each name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.changes.adoption.coverage import Coverage, Gap, coverage
    from tablewright.changes.adoption.proposal import Proposal, propose
    from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill, Reason
    from tablewright.changes.backfill.estimate import BackfillEstimate, estimate
    from tablewright.changes.backfill.refusals import NotBackfillable
    from tablewright.changes.backfill.verification import Found, IndexCheck, Verification, verify
    from tablewright.changes.compatibility.findings import Finding
    from tablewright.changes.compatibility.verdict import Outcome, Verdict, compare
    from tablewright.changes.copying.migration_file import MigrationDesigns
    from tablewright.changes.copying.pointer import TableClosing, TableMoved, TablePointer
    from tablewright.changes.plan.applying import Unfinished, Work, apply, undo
    from tablewright.changes.plan.live_table import Drifted, LiveTable
    from tablewright.changes.plan.plan import InvalidPlan, Plan
    from tablewright.changes.plan.planning import NotInPlace, plan_steps
    from tablewright.changes.plan.steps import Estimate, Kind, Step
    from tablewright.changes.state import LeaseHeld, MigrationState

_HOMES = {
    "Backfill": "backfill.backfill",
    "BackfillEstimate": "backfill.estimate",
    "Coverage": "adoption.coverage",
    "Drifted": "plan.live_table",
    "Estimate": "plan.steps",
    "Finding": "compatibility.findings",
    "Found": "backfill.verification",
    "Gap": "adoption.coverage",
    "IndexCheck": "backfill.verification",
    "InvalidPlan": "plan.plan",
    "Kind": "plan.steps",
    "LeaseHeld": "state",
    "LiveTable": "plan.live_table",
    "MigrationState": "state",
    "MigrationDesigns": "copying.migration_file",
    "NotBackfillable": "backfill.refusals",
    "NotInPlace": "plan.planning",
    "OUTCOMES": "backfill.backfill",
    "Outcome": "compatibility.verdict",
    "Plan": "plan.plan",
    "Proposal": "adoption.proposal",
    "Reason": "backfill.backfill",
    "Step": "plan.steps",
    "UNSETTLED": "backfill.backfill",
    "TableClosing": "copying.pointer",
    "TableMoved": "copying.pointer",
    "TablePointer": "copying.pointer",
    "Unfinished": "plan.applying",
    "Verdict": "compatibility.verdict",
    "Verification": "backfill.verification",
    "Work": "plan.applying",
    "apply": "plan.applying",
    "compare": "compatibility.verdict",
    "coverage": "adoption.coverage",
    "estimate": "backfill.estimate",
    "plan_steps": "plan.planning",
    "propose": "adoption.proposal",
    "undo": "plan.applying",
    "verify": "backfill.verification",
}

__all__ = [
    "OUTCOMES",
    "UNSETTLED",
    "Backfill",
    "BackfillEstimate",
    "Coverage",
    "Drifted",
    "Estimate",
    "Finding",
    "Found",
    "Gap",
    "IndexCheck",
    "InvalidPlan",
    "Kind",
    "LeaseHeld",
    "LiveTable",
    "MigrationDesigns",
    "MigrationState",
    "NotBackfillable",
    "NotInPlace",
    "Outcome",
    "Plan",
    "Proposal",
    "Reason",
    "Step",
    "TableClosing",
    "TableMoved",
    "TablePointer",
    "Unfinished",
    "Verdict",
    "Verification",
    "Work",
    "apply",
    "compare",
    "coverage",
    "estimate",
    "plan_steps",
    "propose",
    "undo",
    "verify",
]

__getattr__ = lazily(__name__, _HOMES)
