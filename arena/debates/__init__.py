"""Debates: the protocol, the code that plays a debate, and the code that takes ballots on it."""
