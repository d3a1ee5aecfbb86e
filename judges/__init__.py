"""From a finished debate to ballots: the judging methods, found through `arena.judges`."""
