"""Defects planted in copies of a tournament's debates, and which judges notice them.

`defects` alters speeches, `copies` and `plan` collect the ballots that a probe needs, `findings`
measures the effect of each defect on each bench.
"""
