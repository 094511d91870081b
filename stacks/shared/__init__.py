"""Parts that the stacks of all systems share: stage, functions, schedules, tenants' secrets."""
