"""The database of results: its schema, its rows as records, and the lock of its one runner."""
