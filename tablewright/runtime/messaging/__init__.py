"""Messages to queues and topics."""
