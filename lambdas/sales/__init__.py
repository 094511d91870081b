"""The sales intelligence API."""
