"""How simulated models read: the words and arguments of a text, and the parts of a prompt."""
