"""How simulated models write speeches, plans, reviews, queries and answers."""
