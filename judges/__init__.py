"""From a finished debate to ballots: the judging methods, and studies of how good judges are.

The methods are found through the entry points `arena.judges`.
"""
