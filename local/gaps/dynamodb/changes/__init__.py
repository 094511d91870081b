"""Gaps of DynamoDB: changes of a table that AWS refuses, refused before anything has changed."""
