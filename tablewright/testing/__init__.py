"""Testing kit: tables on a local engine, and a fault injector."""
