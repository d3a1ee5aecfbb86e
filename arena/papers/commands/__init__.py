"""Commands of the papers' experiments, one module each; they are registered as `arena.commands`."""
