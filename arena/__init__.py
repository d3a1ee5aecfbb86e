"""A tournament and leaderboard service for debate systems."""
