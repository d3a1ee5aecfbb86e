"""The built-in debater frameworks, one module each; they are registered as `arena.debaters`.

Modules that no entry point names are parts which several frameworks share.
"""
