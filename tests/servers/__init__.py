"""Servers on loopback that tests and benchmarks call."""
