"""A debate: its protocol, the playing of one, and the ballots taken on it."""
