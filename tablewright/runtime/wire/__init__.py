"""Wire client: calls of AWS's JSON services, signed, sent and read without botocore."""
