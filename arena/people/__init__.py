"""People as judges and as debaters: what they are asked for, and what they submit."""
