"""Minima, medians and ratios, each with its error. Pure: no processes, no clock. Called by report and by the tests."""

import random
from dataclasses import dataclass


@dataclass
class Sample:
    """One run of one case: the best and the middle value of that process."""

    mode: str
    minimum: float
    median: float
    resolution: float = 0.0


@dataclass
class Summary:
    """All runs of one case on one runtime in one mode. The errors are in the unit of the values."""

    runs: int
    minimum: float
    median: float
    minimum_error: float
    median_error: float


@dataclass
class Ratio:
    """ours / theirs with the range that the errors allow. `value` is None if theirs is not above zero. `high` is infinite if
    theirs is not above its own error."""

    value: float | None
    low: float
    high: float


def median(values):
    """The middle value, or the mean of the two middle ones."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def quantile(values, share):
    """The value below which `share` of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def minimum_error(values):
    """Returns how much higher the minimum would be with half of the runs, in 19 cases of 20. The answer is always the same."""
    half = len(values) // 2
    if not half:
        return float("inf")
    if half < 2:
        return max(values) - min(values)
    source = random.Random(1)
    halves = [min(source.sample(values, half)) for _ in range(200)]
    return quantile(halves, 0.95) - min(values)


def median_error(values):
    """Returns half of McGill's notch. Two medians differ if their notches do not overlap."""
    if len(values) < 4:
        return max(values) - min(values) if len(values) > 1 else float("inf")
    return 1.57 * (quantile(values, 0.75) - quantile(values, 0.25)) / len(values) ** 0.5


def summarise(samples):
    """Returns a Summary of samples that were all taken in one mode."""
    minima = [s.minimum for s in samples]
    medians = [s.median for s in samples]
    floor = min(s.resolution for s in samples)
    return Summary(len(samples), min(minima), median(medians), max(floor, minimum_error(minima)),
                   max(floor, median_error(medians)))


def ratio(ours, our_error, theirs, their_error):
    """Returns a Ratio of two values that both have an error."""
    low = max(ours - our_error, 0.0) / max(theirs + their_error, 1e-12)
    high = (ours + our_error) / (theirs - their_error) if theirs > their_error else float("inf")
    return Ratio(ours / theirs if theirs > 0 else None, low, high)


def verdict(value, low, high, limit):
    """Returns 'met' at or below the limit if the error is finite, 'within error' if only the error allows it, else 'missed'."""
    if value is not None and value <= limit and high < float("inf"):
        return "met"
    return "within error" if low <= limit else "missed"
