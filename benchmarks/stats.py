"""The one figure of statistics that the benchmarks state: how large a rate may still be, when so few were seen."""

from __future__ import annotations

import math


def upper_bound(seen: int, of: int, confidence: float = 0.95) -> float:
    """The one-sided Clopper-Pearson bound: the largest rate at which `seen` or fewer of `of` is still as likely as 1 - confidence.

    With none seen this is 1 - (1 - confidence)^(1/of), nearly 3/of (the rule of three). `of` counts independent clusters.
    """
    if not 0 <= seen <= of or of < 1:
        raise ValueError("needs 0 <= seen <= of, and at least one")
    if seen == of:
        return 1.0
    low, high = seen / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(seen, of, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(seen: int, of: int, rate: float) -> float:
    logs = (
        math.lgamma(of + 1)
        - math.lgamma(k + 1)
        - math.lgamma(of - k + 1)
        + (k * math.log(rate) if k else 0.0)
        + (of - k) * math.log1p(-rate)
        for k in range(seen + 1)
    )
    return sum(map(math.exp, logs))
