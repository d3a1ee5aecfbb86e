"""How simulated models read: words, arguments, and what stands in a prompt."""
