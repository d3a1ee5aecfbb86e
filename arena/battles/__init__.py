"""Battle logs: comparisons recorded elsewhere, imported, rated like debates, and exported."""
