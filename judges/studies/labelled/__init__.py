"""Judges evaluated on pairs of answers that people have labelled: how often are they right?

`pairs`, `benches` and `plan` read what is to be judged; `accuracy`, `rounds`, `concordance` and
`rewording` each measure one thing and lay it out as a table; `results` puts all of it together for
`arena judges evaluate`.
"""
