"""Phrases that simulated models use, and by which they recognise what others wrote."""
