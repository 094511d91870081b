"""What stands in for AWS on this machine."""
