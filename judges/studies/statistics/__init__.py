"""Statistics that the studies of judges share: arithmetic on arrays, no records and no store."""
