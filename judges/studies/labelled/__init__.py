"""Judges evaluated on pairs of answers that people have labelled: how often are they right?

`rows`, `layouts` and `conversations` read the rows of a file, and `pairs` makes pairs of them;
`evaluation_plan` says who judges what. `accuracy`, `score_gaps`, `recounts`, `concordance` and
`rewording` each measure one thing and lay it out as tables; `architectures` puts the paper's
figures beside ours, and `results` puts all of it together for `arena judges evaluate`.
"""
