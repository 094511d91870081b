"""Scans of whole tables in segments, side by side, each from where it was."""
