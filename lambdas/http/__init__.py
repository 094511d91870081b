"""HTTP layer of all systems: requests, answers, problem documents, OpenAPI documents."""
