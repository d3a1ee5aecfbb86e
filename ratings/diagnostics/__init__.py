"""Diagnostics of a board: cycles, influence of comparisons, prediction and notes."""
