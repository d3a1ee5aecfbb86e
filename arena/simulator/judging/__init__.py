"""How simulated models judge: what they measure in speeches, and the verdicts they derive."""
