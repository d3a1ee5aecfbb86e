"""A tournament's judges compared: how far they agree, what biases them, what they cost.

`material` reads a stored tournament; each other module measures one thing and lays it out as a
table; `page` puts all of it together for `arena judges`.
"""
