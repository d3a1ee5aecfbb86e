"""Who meets whom, on what: pure functions from what is stored to what is to be played."""
