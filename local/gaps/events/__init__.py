"""Gaps of EventBridge Pipes and SQS: filters, input templates, moves of messages."""
