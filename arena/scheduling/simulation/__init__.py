"""Simulated tournaments, by which schedules are compared; no model is called."""
