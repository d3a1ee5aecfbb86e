"""Access to language models: requests, providers, budget, retries and the journal of calls."""
