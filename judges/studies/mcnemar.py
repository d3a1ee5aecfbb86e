"""McNemar's exact test, which two judges on the same items are compared by."""

from __future__ import annotations


def mcnemar(first: int, second: int) -> float:
    """Give the two-sided p of so many items that only the first, or only the second, has right.

    Source: McNemar 1947, doi 10.1007/BF02295996; exact: the binomial test of the discordant items.

    >>> mcnemar(0, 0), mcnemar(5, 0)
    (1.0, 0.0625)
    """
    # Takes a second to import, and most commands compare nothing.
    from scipy.stats import binomtest  # noqa: PLC0415

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0
