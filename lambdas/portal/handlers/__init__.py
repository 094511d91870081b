"""Handlers: the entry point of each Lambda function of the portal."""
