"""Benchmarks and simulation studies; each script takes `--json` and `--short`."""
