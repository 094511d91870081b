"""Gaps of DynamoDB: global tables, time to live, records of streams, refused changes."""
