"""Confidence intervals and ranks from a fit, robust to clusters of comparisons."""
