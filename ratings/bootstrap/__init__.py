"""The cluster bootstrap, and what makes it fast."""
