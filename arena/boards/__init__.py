"""Leaderboards: from stored ballots to comparisons, ratings and win-rate matrices."""
