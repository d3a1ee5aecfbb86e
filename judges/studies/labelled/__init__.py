"""Benches judge pairs of answers that people have labelled: how often are they right?

`figures` and `rounds` are arithmetic on records alone; the rest reads the file and the database.
"""
