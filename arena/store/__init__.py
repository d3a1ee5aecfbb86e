"""The database of results: its schema, its rows as records, and who may write to it."""
