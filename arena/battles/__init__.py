"""Battle logs: what others recorded, imported and rated like debates, and exported again."""
