"""What happens in the portal, and its export."""
