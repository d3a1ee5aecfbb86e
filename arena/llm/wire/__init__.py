"""The way of a call below LiteLLM: limits of time and size, streams, and what may not be sent."""
