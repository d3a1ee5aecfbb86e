"""Copies of stored debates with a planted defect, and what judges make of them."""
