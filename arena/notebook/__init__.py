"""Results and runs from Python: what `import arena` opens to scripts and notebooks.

Every figure comes from the functions that the commands print, so that both say the same.
"""
