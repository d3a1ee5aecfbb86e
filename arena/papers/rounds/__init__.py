"""Inner debates and self-reflections round by round, as Liang et al. 2023 report them.

The figures and tables of the paper (arXiv 2305.19118): disagreement and quality per iteration, the
levels of disagreement, whom the judge supports, and bias and diversity.
"""
