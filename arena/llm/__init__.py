"""Access to language models: the seam, its two backends, and what stands around every call."""
