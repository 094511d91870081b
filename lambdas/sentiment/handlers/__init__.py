"""Handlers of the sentiment functions: decode, act, answer."""
