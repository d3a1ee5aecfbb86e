"""The quality of translations, by trained estimators that are installed elsewhere."""
