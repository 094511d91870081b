"""What the stacks of all systems share: the stage, functions, schedules, secrets of tenants."""
