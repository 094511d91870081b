"""Gaps of Cognito: attributes of users, the issuer of a user pool."""
