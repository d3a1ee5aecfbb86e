"""The rating model: a weighted Bradley-Terry fit, its terms and its solver."""
