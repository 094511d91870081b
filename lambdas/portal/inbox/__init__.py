"""Inbox: the notifications of a user, and the subscriptions that bring them."""
