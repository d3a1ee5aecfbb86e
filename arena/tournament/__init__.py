"""A tournament: its plan, its cost, the run that plays and judges it, and judging it again."""
