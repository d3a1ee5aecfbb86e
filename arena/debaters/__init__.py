"""The debater frameworks, one file each; strangers add theirs through `arena.debaters`."""
