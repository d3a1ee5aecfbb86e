"""The cluster bootstrap and the fast algorithms under it."""
