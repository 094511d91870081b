"""Benchmarks: ratios within one run, since machines differ and ratios hardly do."""
