"""How simulated models read: the arguments of a text, and the parts of a prompt."""
