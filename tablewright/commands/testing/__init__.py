"""Commands for tests: the engine that they run on."""
