"""What judges are worth: how far they agree, with each other and with people, and what sways them.

`agreement` is arithmetic on arrays alone; the rest reads a stored tournament.
"""
