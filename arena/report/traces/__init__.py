"""How speeches were made: each agent's steps, from the stored traces."""
