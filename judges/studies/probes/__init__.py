"""Defects planted in copies of a tournament's debates, and which judges notice them.

`defects` alters speeches, `probe_plan` collects the ballots that a probe needs, `measurement`
measures the effect of each defect on each bench.
"""
