"""A tournament as a static site: pages, files beside them, and what has changed since the last."""
