"""What is stored, as records: one kind a module, all read from one selection of debates.

Whatever shows results, on a terminal, on a page or in a notebook, shows columns of these records.
"""
