"""How simulated models judge: what they count, and the verdicts that follow from it."""
