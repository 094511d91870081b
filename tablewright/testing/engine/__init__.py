"""Engine: DynamoDB Local and the Java that runs it, found or installed. Standard library only."""
