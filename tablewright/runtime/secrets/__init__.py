"""Secret fields: encrypted before they are stored, with data keys that KMS has wrapped."""
