"""How commands talk to a terminal: options, tables, plans, progress, and asking before paying."""
