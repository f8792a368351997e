"""The sum of the t highest weights, for every t, and its largest and least in windows of t."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate

from sensitivity_lab.proved.rank_weights import Steps


class Curve:
    """W(t), the sum of the t highest of some weights, times their unit: a line between corners.

    >>> curve = Curve(Steps.of([(0, 1), (1, 3), (0, 1)]))
    >>> curve.corners, curve.sums, curve.at(2)
    ([0, 1, 4, 5], [0, 0, 3, 3], 1)
    """

    def __init__(self, steps: Steps) -> None:
        counts = [b - a for a, b in zip(steps.starts, steps.ends, strict=True)][::-1]
        self.slopes = steps.weights[::-1]
        self.corners = [0, *accumulate(counts)]
        added = (count * slope for count, slope in zip(counts, self.slopes, strict=True))
        self.sums = [0, *accumulate(added)]

    def at(self, t: int) -> int:
        """W(t)."""
        if t == self.corners[-1]:
            return self.sums[-1]
        i = bisect_right(self.corners, t) - 1
        return self.sums[i] + (t - self.corners[i]) * self.slopes[i]

    def largest(
        self, starts: Sequence[int], width: int, sign: int = 1
    ) -> Iterator[tuple[int, int]]:
        """For ascending starts: the largest sign·W(t) over start ≤ t ≤ start + width, and its t.

        >>> curve = Curve(Steps.of([(-1, 2), (1, 2)]))
        >>> list(curve.largest([0, 1, 2], 2)), list(curve.largest([1], 1, sign=-1))
        ([(2, 2), (2, 2), (2, 2)], [(-1, 1)])

        Cost: O(log) a start and a corner: those that may be best wait in a queue.
        """
        waiting: deque[int] = deque()
        entering = 0
        for start in starts:
            while entering < len(self.corners) and self.corners[entering] <= start + width:
                height = sign * self.sums[entering]
                while waiting and sign * self.sums[waiting[-1]] < height:
                    waiting.pop()
                waiting.append(entering)
                entering += 1
            while waiting and self.corners[waiting[0]] < start:
                waiting.popleft()
            places = [start, start + width, *(self.corners[i] for i in [*waiting][:1])]
            height, earlier = max((sign * self.at(t), -t) for t in places)
            yield height, -earlier
