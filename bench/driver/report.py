"""Tables for people, a list of records for programs. Pure: takes Results, returns text and records."""

from driver.cases import PEERS
from driver.runner import NONE
from driver.runtimes import OURS
from driver.speedup import FEWEST, compare
from driver.stats import ratio, summarise, verdict

MODES = ("fast", "slow")


def figure(value):
    """Gives three significant digits, with the sign, because an overhead below the noise may be negative."""
    if abs(value) >= 999.5:
        return f"{value:.0f}"
    if abs(value) >= 99.5:
        return f"{value:.0f}"
    return f"{value:.{1 if abs(value) >= 9.95 else 2 if abs(value) >= 0.995 else 3}f}"


def summaries(results):
    """{(case, runtime, mode): Summary}"""
    found = {}
    for (case, runtime), samples in results.samples.items():
        for mode in MODES:
            here = [s for s in samples if s.mode == mode]
            if here:
                found[case, runtime, mode] = summarise(here)
    return found


def best_peer(found, case, mode, peers):
    """Returns (name, Summary) of the peer with the lowest minimum, or None."""
    there = [(found[case, p, mode], p) for p in peers if (case, p, mode) in found]
    if not there:
        return None
    best = min(there, key=lambda pair: pair[0].minimum)
    return best[1], best[0]


def best_case(found, cases, runtime, mode):
    """Returns the Summary with the lowest minimum on a runtime, or None."""
    return min((case for case in cases if (case, runtime, mode) in found),
               key=lambda case: found[case, runtime, mode].minimum, default=None)


def ratio_text(ours, name, theirs):
    """Returns "0.32 x libiomp5 (0.30-0.35; medians 0.33)", or a text that the errors are too large."""
    low = ratio(ours.minimum, ours.minimum_error, theirs.minimum, theirs.minimum_error)
    middle = ratio(ours.median, ours.median_error, theirs.median, theirs.median_error)
    value, medians = ("-" if r.value is None else f"{r.value:.2f}" for r in (low, middle))
    if low.high == float("inf"):
        return (f"{value} x {name}, not resolved ({figure(ours.minimum)} +-{figure(ours.minimum_error)} to "
                f"{figure(theirs.minimum)} +-{figure(theirs.minimum_error)}; medians {medians})")
    return f"{value} x {name} ({low.low:.2f}-{low.high:.2f}; medians {medians})"


def wanted_lines(bench, found, peers):
    """Returns one line for each target and mode that can be judged."""
    lines = []
    for wanted in bench.wanted:
        for mode in MODES:
            ours = found.get((wanted.case, OURS, mode))
            limit = wanted.limit.get(mode) if isinstance(wanted.limit, dict) else wanted.limit
            if ours is None or limit is None:
                continue
            head = f"  {wanted.case} ({mode}): "
            if wanted.against is None:
                low = ours.minimum - ours.minimum_error
                lines.append(f"{head}{figure(ours.minimum)}, wanted at most {limit:g}: "
                             f"{verdict(ours.minimum, low, ours.minimum, limit)}")
                continue
            case = wanted.other or wanted.case
            if isinstance(case, tuple):
                case = best_case(found, case, wanted.against, mode)
            if wanted.against == PEERS:
                other = best_peer(found, case, mode, peers)
            else:
                summary = found.get((case, wanted.against, mode))
                other = (wanted.against, summary) if summary else None
            if other is None:
                lines.append(f"{head}nothing to compare with in this mode")
                continue
            name = f"{other[0]} {case}" if wanted.other else other[0]
            r = ratio(ours.minimum, ours.minimum_error, other[1].minimum, other[1].minimum_error)
            lines.append(f"{head}{ratio_text(ours, name, other[1])}, wanted at most {limit:g}: "
                         f"{verdict(r.value, r.low, r.high, limit)}")
    return lines


def table(bench, results, runtimes, effort):
    """Returns the lines of one benchmark: a row for each case and mode, a column for each runtime (minimum and median)."""
    found = summaries(results)
    peers = [r for r in runtimes if r != OURS]
    columns = list(runtimes) + ([NONE] if any(key[1] == NONE for key in found) else [])
    rows = [["case", "unit", "mode", *columns, "ours / best peer, minima"]]
    for case, unit in results.units.items():
        for mode in MODES:
            if not any((case, r, mode) in found for r in columns):
                continue
            row = [case, unit, mode]
            for runtime in columns:
                s = found.get((case, runtime, mode))
                few = f" n{s.runs}" if s and s.runs < effort.runs else ""
                row.append(f"{figure(s.minimum)} / {figure(s.median)}{few}" if s else "-")
            ours, other = found.get((case, OURS, mode)), best_peer(found, case, mode, peers)
            row.append(ratio_text(ours, *other) if ours and other else "")
            rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [f"{bench.name}: {bench.what} (minimum / median; nK: only K runs)"]
    lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    lines += [f"  {runtime}, {key}: {what}; not run again" for (key, runtime), what in results.failures.items()]
    if results.dropped:
        lines.append(f"  {results.dropped} runs were thrown away: the machine changed its mode meanwhile")
    if results.foreign > 3:
        lines.append(f"  other programs used {results.foreign:.0f} % of the two PUs meanwhile: repeat on a quiet machine")
    wanted = wanted_lines(bench, found, peers)
    return lines + (["  wanted of " + OURS + ":"] + ["  " + line for line in wanted] if wanted else [])


def verdict_text(kind, verdict):
    """Returns "medians 1.25 x, chance 0.3% (Wilcoxon)", and a remark where nothing is shown."""
    if verdict.chance is None:
        return f"{kind} {verdict.ratio:.3f} x, not judged ({verdict.why})"
    chance = "under 0.1%" if verdict.chance < 0.001 else f"{100 * verdict.chance:.1f}%"
    return f"{kind} {verdict.ratio:.3f} x{'' if verdict.holds else ', not shown'}, chance {chance} ({verdict.why})"


def rigorous_lines(bench, results, runtimes):
    """Returns a line for each case, mode and peer: is ours (else the last one) faster, or slower, or was it chance? Each run counts once, by its own
    median."""
    judged = OURS if OURS in runtimes else runtimes[-1]
    lines = [f"{bench.name}, the Speedup-Test on the medians of runs, risk 5%:"]
    for case, unit in results.units.items():
        words = ("more", "less") if unit == "MiB" else ("slower", "faster")
        for mode in MODES:
            runs = {runtime: [s.median for s in results.samples.get((case, runtime), ()) if s.mode == mode]
                    for runtime in runtimes}
            for peer in (r for r in runtimes if r != judged and runs[r] and runs[judged]):
                ours, theirs, head = runs[judged], runs[peer], f"  {case} ({mode}): "
                if min(*ours, *theirs) <= 0 or min(len(ours), len(theirs)) < FEWEST:
                    lines.append(f"{head}{peer}: not judged (it needs {FEWEST} runs of each, and times above zero)")
                    continue
                slower = sum(ours) / len(ours) > sum(theirs) / len(theirs)
                means, medians, share = compare(ours, theirs) if slower else compare(theirs, ours)
                lines.append(f"{head}{words[not slower]} than {peer}: {verdict_text('means', means)}; {verdict_text('medians', medians)}; "
                             f"in {100 * share:.0f}% of the pairs of runs")
    return lines


def records(bench, results):
    """For --json. A runtime that did not finish a case has no figures; `limit` tells after how many ms its process was ended, if it was."""
    found = [{"bench": bench.name, "case": case, "runtime": runtime, "unit": results.units[case], "mode": mode,
              "min": s.minimum, "median": s.median, "runs": s.runs}
             for (case, runtime, mode), s in summaries(results).items()]
    return found + [{"bench": bench.name, "case": case, "runtime": runtime, "unit": results.units[case], "mode": "any", "limit": limit_s * 1000}
                    for (key, runtime), limit_s in results.limits.items() for case in results.cases.get(key, ())]
