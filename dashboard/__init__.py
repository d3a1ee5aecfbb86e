"""The dashboard: pages on a tournament, by Streamlit."""
