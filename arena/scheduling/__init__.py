"""Schedules: pure functions that plan who debates whom, on which motions, given stored debates."""
