"""Gaps of Lambda: how it consumes streams, what it does with failed batches, its code."""
