"""How single speeches were made, as dialogues of their agents: for the terminal and for pages."""
