"""The dashboard: pages on a tournament, by Streamlit, which only this machine can open."""
