"""Servers on this machine that benchmarks and tests call: certificates, answers, faults."""
