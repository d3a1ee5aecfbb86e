"""Workers that play debates and take ballots for a run, in other processes or on other machines."""
