"""How speeches were made: the steps of each agent, from the stored traces."""
