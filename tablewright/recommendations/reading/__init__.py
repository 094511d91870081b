"""Reading of usage: what CloudWatch, DynamoDB and DAX know of a stage."""
