"""How Lambda code uses a table design. Needs boto3 and nothing else."""
