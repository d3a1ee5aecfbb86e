"""Judges evaluated on pairs of answers that people have labelled: how often are they right?

`rows`, `layouts`, `conversations` and `votes` read the rows of a file, and `pairs` makes pairs of
them; `benches` and `evaluation_plan` say who judges what. `accuracy`, `vote_agreement`,
`score_gaps`, `iterations`, `softmax_sweep`, `ranking`, `concordance` and `rewording` each measure
one thing and lay it out as a table; `architectures` puts the paper's figures beside ours, and
`results` puts all of it together for `arena judges evaluate`.
"""
