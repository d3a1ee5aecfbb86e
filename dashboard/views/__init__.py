"""The pages, one file each; `dashboard.navigation` lists them.

The folder is not called `pages`: Streamlit would take the files of a folder of that name, beside
the script that it runs, for pages of its own.
"""
