"""Recommendations: how a stage could cost less, from what it did."""

from tablewright.recommendations.engine import recommendations
from tablewright.recommendations.recommendation import (
    Change,
    Confidence,
    Kind,
    Recommendation,
    total,
)
from tablewright.recommendations.rules import Rules
from tablewright.recommendations.settings import setting_lines
from tablewright.recommendations.usage import (
    AcceleratorUsage,
    AlarmUsage,
    IndexUsage,
    InvalidUsage,
    LogGroupUsage,
    ShardUsage,
    Size,
    StageUsage,
    TableUsage,
    Units,
)
from tablewright.recommendations.usage_file import read_usage, write_usage

__all__ = [
    "AcceleratorUsage",
    "AlarmUsage",
    "Change",
    "Confidence",
    "IndexUsage",
    "InvalidUsage",
    "Kind",
    "LogGroupUsage",
    "Recommendation",
    "Rules",
    "ShardUsage",
    "Size",
    "StageUsage",
    "TableUsage",
    "Units",
    "read_usage",
    "recommendations",
    "setting_lines",
    "total",
    "write_usage",
]
