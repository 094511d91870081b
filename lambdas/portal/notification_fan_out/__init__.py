"""Notification fan-out: from a change of content to the notifications of its subscribers."""
