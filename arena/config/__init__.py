"""The configuration of a tournament: parsed strictly from TOML, resolved, edited and stored."""
