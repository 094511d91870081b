"""Delivery of submissions: from the queue to each destination, attempt by attempt."""
