"""Pages that show a tournament's results: read-only, on this machine, by Streamlit."""
