"""DynamoDB table designs, declared once: CDK constructs, grants, runtime access, docs and cost."""

__version__ = "0.1.0"
