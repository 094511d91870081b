"""Gaps of CloudFormation: types of resources, references."""
