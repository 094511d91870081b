"""DynamoDB table designs, declared once: CDK constructs, grants, runtime access, docs and cost."""
