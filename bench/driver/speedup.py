"""Is one runtime faster than another, or was it chance? The Speedup-Test of Touati, Worms and Briais (CCPE 2013), risk 5%. Pure.

Means are compared by Student's test, or by Welch's if Fisher's F tells variances apart. That wants normal samples (Shapiro and Wilk) or more than
30 runs. Medians are compared by the test of Wilcoxon, Mann and Whitney. That wants distributions of one shape (Kolmogorov and Smirnov, on the
distances from the medians) or more than 30 runs. Each test says what R's does: shapiro.test, var.test, t.test, ks.test, wilcox.test."""

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

from driver.stats import median

RISK = 0.05
MANY = 30  # above that, neither shape nor normality is asked for
EXACT = 50  # below that, and without ties, ranks are counted
FEWEST = 4  # runs of each


def beta_share(x, a, b):
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, 1000):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / (1 + step * d), 1 + step / c
            found *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * found


def student_above(t, freedom):
    """The chance of more than t."""
    half = beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return half if t > 0 else 1 - half


def means_chance(slow, fast, equal):
    """One-sided: the chance of means that lie so far apart, if `fast` is not faster. `equal`: so are the variances."""
    n, m, v, w = len(slow), len(fast), variance(slow), variance(fast)
    if equal:
        spread, freedom = ((n - 1) * v + (m - 1) * w) / (n + m - 2) * (1 / n + 1 / m), n + m - 2
    else:
        spread = v / n + w / m
        freedom = spread**2 / ((v / n) ** 2 / (n - 1) + (w / m) ** 2 / (m - 1)) if spread else 1
    apart = fmean(slow) - fmean(fast)
    return student_above(apart / math.sqrt(spread), freedom) if spread else float(apart <= 0)


def variances_chance(x, y):
    """Fisher's F, two-sided."""
    v, w, n, m = variance(x), variance(y), len(x) - 1, len(y) - 1
    if not v or not w:
        return float(v == w)
    below = beta_share(n * v / (n * v + m * w), n / 2, m / 2)
    return min(1.0, 2 * min(below, 1 - below))


def _polynomial(coefficients, x):
    found = 0.0
    for each in reversed(coefficients):
        found = found * x + each
    return found


def normal_chance(values):
    """Shapiro and Wilk, by Royston's algorithm AS R94, for 4 to 5000 values. Small: they are not normal."""
    x, n = sorted(values), len(values)
    if x[0] == x[-1]:
        return 0.0
    m = [NormalDist().inv_cdf((i + 1 - 0.375) / (n + 0.25)) for i in range(n)]
    squares, u = sum(each * each for each in m), 1 / math.sqrt(n)
    last = _polynomial((m[-1] / math.sqrt(squares), 0.221157, -0.147981, -2.07119, 4.434685, -2.706056), u)
    a = list(m)
    if n > 5:
        second = _polynomial((m[-2] / math.sqrt(squares), 0.042981, -0.293762, -1.752461, 5.682633, -3.582633), u)
        scale = math.sqrt((squares - 2 * m[-1] ** 2 - 2 * m[-2] ** 2) / (1 - 2 * last**2 - 2 * second**2))
        ends = [last, second]
    else:
        scale, ends = math.sqrt((squares - 2 * m[-1] ** 2) / (1 - 2 * last**2)), [last]
    a = [each / scale for each in m]
    for i, end in enumerate(ends):
        a[i], a[-1 - i] = -end, end
    middle = fmean(x)
    w = sum(p * q for p, q in zip(a, x)) ** 2 / sum((each - middle) ** 2 for each in x)
    left = math.log(max(1 - w, 1e-99))
    if n <= 11:
        gamma = _polynomial((-2.273, 0.459), n)
        if left >= gamma:
            return 0.0
        left = -math.log(gamma - left)
        mean = _polynomial((0.5440, -0.39978, 0.025054, -6.714e-4), n)
        deviation = math.exp(_polynomial((1.3822, -0.77857, 0.062767, -0.0020322), n))
    else:
        mean = _polynomial((-1.5861, -0.31082, -0.083751, 0.0038915), math.log(n))
        deviation = math.exp(_polynomial((-0.4803, -0.082676, 0.0030302), math.log(n)))
    return 1 - NormalDist(mean, deviation).cdf(left)


def shapes_chance(x, y):
    """Kolmogorov and Smirnov, two-sided, exact: the share of the ways to mix both samples that lie as far apart."""
    x, y = sorted(x), sorted(y)
    n, m = len(x), len(y)
    both = sorted(x + y)
    apart, i, j = 0, 0, 0
    for value in both:
        while i < n and x[i] <= value:
            i += 1
        while j < m and y[j] <= value:
            j += 1
        apart = max(apart, abs(i * m - j * n))
    # Ways from (0, 0) to (n, m) that stay nearer, of all ways. Where values are equal, only the end of the tie counts.
    ends = [k + 1 == n + m or both[k] != both[k + 1] for k in range(n + m)]
    row = [0.0] * (m + 1)
    for i in range(n + 1):
        for j in range(m + 1):
            ways = 1.0 if i == j == 0 else (row[j] * i / (i + j) if i else 0.0) + (row[j - 1] * j / (i + j) if j else 0.0)
            far = i + j > 0 and ends[i + j - 1] and abs(i * m - j * n) >= apart
            row[j] = 0.0 if far else ways
    return min(1.0, max(0.0, 1 - row[m]))


def _ways_above(n, m):
    """[u]: the ways to mix n slow samples and m fast ones in which a slow one stands above a fast one u times."""
    rows = [[1] + [0] * (n * m) for _ in range(m + 1)]
    for _ in range(n):  # the largest of all is a slow one, above j fast ones, or a fast one
        added = [rows[0]]
        for j in range(1, m + 1):
            added.append([slow + fast for slow, fast in zip([0] * j + rows[j], added[-1])])
        rows = added
    return rows[m]


def ranks_chance(slow, fast):
    """Wilcoxon, Mann and Whitney, one-sided: the chance of such ranks if `fast` is not faster."""
    n, m = len(slow), len(fast)
    above = sum((a > b) + (a == b) / 2 for a in slow for b in fast)
    both = slow + fast
    sizes = [both.count(value) for value in set(both)]
    if n < EXACT and m < EXACT and max(sizes) == 1:
        return sum(_ways_above(n, m)[int(above):]) / math.comb(n + m, n)
    ties = sum(size**3 - size for size in sizes)
    deviation = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    return 1 - NormalDist().cdf((above - n * m / 2 - 0.5) / deviation) if deviation else 1.0


@dataclass
class Verdict:
    """Of one kind of middle. `chance`: of such samples if nothing is faster; None: too few runs to tell. `why`: the tests that said so."""

    ratio: float
    chance: float | None
    why: str

    @property
    def holds(self):
        return self.chance is not None and self.chance < RISK


def means_compare(slow, fast):
    if min(len(slow), len(fast)) <= MANY and min(normal_chance(slow), normal_chance(fast)) < RISK:
        return Verdict(fmean(slow) / fmean(fast), None, f"not normal, and not more than {MANY} runs")
    equal = variances_chance(slow, fast) >= RISK
    return Verdict(fmean(slow) / fmean(fast), means_chance(slow, fast, equal), "Student" if equal else "Welch")


def medians_compare(slow, fast):
    a, b = median(slow), median(fast)
    if min(len(slow), len(fast)) <= MANY and shapes_chance([x - a for x in slow], [x - b for x in fast]) < RISK:
        return Verdict(a / b, None, f"unlike shapes, and not more than {MANY} runs")
    return Verdict(a / b, ranks_chance(slow, fast), "Wilcoxon")


def compare(slow, fast):
    """(Verdict of the means, Verdict of the medians, the share of pairs of runs in which `fast` is faster). Times above zero, FEWEST runs or more of each."""
    faster = sum((a > b) + (a == b) / 2 for a in slow for b in fast) / (len(slow) * len(fast))
    return means_compare(slow, fast), medians_compare(slow, fast), faster
