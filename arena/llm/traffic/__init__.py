"""The traffic to models: how many calls at once and per minute, who is away, who must wait."""
