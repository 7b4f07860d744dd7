"""`make calibration`: our tests and the peers on ten distributions, judged by one harness.

Writes `docs/calibration.csv` and, from it alone, `docs/calibration.md`. Its figures are drawn when
the pages are built (`docs/drawing/measured.py`). The peers are called as their users would; those
that give p-values are corrected by Holm's procedure, as ours are.

`python -m benchmarks.calibration --only score wald` draws only these tests anew and keeps the
others; `--few-rows` draws only the tables with few rows anew, `--page-only` nothing at all.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peer_calls import (
    causal_learn_fisher_z,
    pingouin_pairwise,
    sklearn_graphical_lasso_cv,
)
from edgewise import edge_test
from edgewise.calibrate import RATES, Estimate, calibrate
from edgewise.errors import EdgewiseWarning
from edgewise.simulate import (
    DISTRIBUTIONS,
    Distribution,
    Pareto,
    StudentT,
    make_chain_precision,
)

P, N, ALPHA, SEED = 10, 5000, 0.05, 2016
#: Where power costs something: these rows, of these laws, for these tests.
FEW_ROWS, FEW_ROWS_DRAWS = (200, 500), 2000
FEW_ROWS_LAWS = ("gaussian", "t5", "contaminated")
FEW_ROWS_TESTS = ("score", "wald", "batch", "elliptical", "fisher")
PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
#: The heads of the columns: ten of them and the names of tests fit a page without scrolling.
HEADS = {
    "gaussian": "gauss",
    "contaminated": "contam",
    "exponential": "expon",
    "lognormal": "lognorm",
    "pareto components": "pareto comp.",
    "pareto": "shared tail",
}
#: The titles of the panels.
TITLES = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "t5": "t₅",
    "t3": "t₃",
    "contaminated": "large rows",
    "exponential": "exponential",
    "lognormal": "log-normal",
    "pareto components": "Pareto",
    "pareto": "shared tail",
    "ar1": "AR(1)",
}
# Whose band lies wholly above the level is caught; ours are given the same treatment.
_KEPT, _BROKEN = "", "**"

#: The columns: those with a name, and two laws without fourth moments.
LAWS: dict[str, Distribution] = {
    **{name: DISTRIBUTIONS[name] for name in ("gaussian", "laplace", "t5")},
    "t3": StudentT(3.0),
    **{name: DISTRIBUTIONS[name] for name in ("contaminated", "exponential", "lognormal")},
    "pareto components": Pareto(3.0),
    **{name: DISTRIBUTIONS[name] for name in ("pareto", "ar1")},
}


@dataclass(frozen=True)
class Contestant:
    """A test, how often it is drawn, the package it needs, and what it promises."""

    name: str
    test: Callable[[Any], Any]
    n_draws: int
    package: str = "edgewise"
    promise: str = "per edge, then Holm"


@dataclass(frozen=True)
class Run:
    """The rates of a test on one kind of data, from so many draws by a version of a package."""

    draws: int
    package: str
    rates: dict[str, Estimate]


#: By test, distribution and number of rows; a test whose package is missing has none.
Results = dict[tuple[str, str, int], Run]


@dataclass(frozen=True)
class Ours:
    method: str
    options: tuple[tuple[str, str], ...] = ()

    def __call__(self, X: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EdgewiseWarning)
            return edge_test(X, method=self.method, alpha=ALPHA, **dict(self.options))


def pingouin_pvalues(X: Any) -> Any:
    found = pingouin_pairwise(X)()
    names = sorted({name for pair in found for name in pair}, key=lambda name: int(name[1:]))
    return _matrix({(names.index(i), names.index(j)): p for (i, j), p in found.items()})


def causal_learn_pvalues(X: Any) -> Any:
    return _matrix(causal_learn_fisher_z(X)())


def graphical_lasso_support(X: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.abs(sklearn_graphical_lasso_cv(X)()) > 1e-10


def _matrix(pairs: dict[tuple[int, int], float]) -> Any:
    pvalues = np.ones((P, P))
    for (i, j), p in pairs.items():
        pvalues[i, j] = pvalues[j, i] = p
    return pvalues


_LIMIT, _HEURISTIC = "all at once, in the limit", "all at once, heuristic"
_OURS = "per edge, then Holm, which we added"
CONTESTANTS = (
    Contestant("score", Ours("score"), 2000),
    Contestant("wald", Ours("wald"), 2000),
    Contestant("batch", Ours("batch"), 2000),
    Contestant("whitened, chi2", Ours("whitened", (("radius", "chi2"),)), 500, promise=_LIMIT),
    Contestant("whitened, trace", Ours("whitened"), 2000, promise=_LIMIT),
    Contestant("eig (paper)", Ours("eig"), 500, promise=_HEURISTIC),
    Contestant("trace (paper)", Ours("trace"), 2000, promise=_LIMIT),
    Contestant("elliptical", Ours("elliptical"), 2000),
    Contestant("fisher", Ours("fisher"), 2000),
    Contestant("pingouin", pingouin_pvalues, 200, "pingouin", f"`partial_corr`: {_OURS}"),
    Contestant("causal-learn", causal_learn_pvalues, 500, "causal-learn", f"Fisher's z: {_OURS}"),
    Contestant(
        "graphical lasso",
        graphical_lasso_support,
        100,
        "scikit-learn",
        "none: the support of `GraphicalLassoCV`",
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the draws, for a quick look")
    parser.add_argument("--output", type=Path, default=PAGE)
    parser.add_argument("--jobs", type=int, default=-1, help="processes; by default all cores")
    parser.add_argument("--page-only", action="store_true", help="write it anew from its table")
    parser.add_argument("--few-rows", action="store_true", help="draw only their tables anew")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="TEST",
        choices=[one.name for one in CONTESTANTS],
        help="draw only these tests anew, and keep the others",
    )
    parser.add_argument(
        "--laws",
        nargs="+",
        metavar="LAW",
        choices=LAWS,
        default=list(LAWS),
        help="draw only these laws anew, and keep the others",
    )
    asked = parser.parse_args()
    table = asked.output.with_suffix(".csv")
    if not asked.page_only:
        whole = not asked.few_rows and asked.only is None and asked.laws == list(LAWS)
        drawn = {} if whole else _read_csv(table)
        for found in _drawn(asked):
            drawn |= found
            _write_csv(table, drawn)
    asked.output.write_text(_page(_read_csv(table)), encoding="utf-8")


def _drawn(asked: argparse.Namespace) -> Iterator[Results]:
    """Test by test, so that what is done is kept if the next one fails."""
    for contestant in CONTESTANTS:
        if asked.only is not None and contestant.name not in asked.only:
            continue
        if not asked.few_rows:
            draws = asked.share * contestant.n_draws
            yield _measured(contestant, asked.laws, N, draws, asked.jobs)
        if contestant.name in FEW_ROWS_TESTS:
            laws = [law for law in FEW_ROWS_LAWS if law in asked.laws]
            for n in FEW_ROWS:
                yield _measured(contestant, laws, n, asked.share * FEW_ROWS_DRAWS, asked.jobs)


def _measured(
    contestant: Contestant, laws: Iterable[str], n: int, draws: float, jobs: int
) -> Results:
    installed = _version(contestant.package)
    if installed is None:
        return {}
    began = time.perf_counter()
    results: Results = {}
    for law in laws:
        found = calibrate(
            contestant.test,
            LAWS[law],
            precision=make_chain_precision(P),
            n_samples=n,
            n_draws=max(2, round(draws)),
            alpha=ALPHA,
            seed=SEED,
            n_jobs=jobs,
        )
        rates = {rate: getattr(found, rate) for rate in RATES}
        made_by = f"{contestant.package} {installed}"
        results[contestant.name, law, n] = Run(found.n_draws, made_by, rates)
    print(f"{contestant.name}, {n} rows: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return results


_HEADER = ["test", "package", "distribution", "rows", "draws", "rate", "value", "low", "high"]


def _write_csv(path: Path, results: Results) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_HEADER)
        for (name, law, n), run in sorted(results.items(), key=_place):
            for rate, estimate in run.rates.items():
                numbers = [f"{number:.5g}" for number in estimate]
                writer.writerow([name, run.package, law, n, run.draws, rate, *numbers])


def _place(item: tuple[tuple[str, str, int], Run]) -> tuple[bool, int, int, int]:
    """Where a run stands in the table: many rows first, then test by test, law by law."""
    name, law, n = item[0]
    names = [contestant.name for contestant in CONTESTANTS]
    at = names.index(name) if name in names else len(names)
    return n != N, at, n, list(LAWS).index(law)


def _read_csv(path: Path) -> Results:
    results: Results = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["test"], row["distribution"], int(row["rows"]))
            run = results.setdefault(key, Run(int(row["draws"]), row["package"], {}))
            run.rates[row["rate"]] = Estimate(
                *(float(row[end]) for end in ("value", "low", "high"))
            )
    return results


#: Of each rate: the title, what it is, and what its figure shows.
_FIGURES = {
    "family_wise_error": (
        "Family-wise error",
        "The share of data sets with any false edge; 0.05 is promised.",
        "share of data sets with any false edge",
    ),
    "false_positive_rate": (
        "False positive rate of a single null pair",
        "The share of null pairs with a p-value up to 0.05, before any correction.",
        "share of null pairs with p ≤ 0.05",
    ),
    "false_discovery_rate": (
        "False discovery rate",
        "The mean share of declared edges that are false.",
        "mean share of false edges among those declared",
    ),
    "power": (
        "Power",
        "The share of the nine edges that are found. `whitened` with the "
        "chi-square radius was measured by edgewise 0.1.0: its thresholds are smaller now.",
        "share of the edges that are found",
    ),
    "coverage": (
        "Coverage of the intervals",
        "The share of the entries of Θ that lie *outside* their interval; the nominal level is "
        "0.05. The peers have no intervals.",
        "share of entries outside their interval",
    ),
}


def _figure(name: str, alt: str, *caption: str) -> list[str]:
    """A picture of `docs/drawing`, with what is said below it."""
    return [
        f"```{{figure}} /_build/pictures/{name}.svg",
        f":alt: {alt}",
        ":figclass: wide",
        *(line for text in caption for line in ("", text)),
        "```",
        "",
    ]


def _folded(summary: str, lines: list[str]) -> list[str]:
    """Numbers that are there for those who open them."""
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>", ""]


def _page(results: Results) -> str:
    made_by = {run.package for run in results.values()}
    known = {contestant.package for contestant in CONTESTANTS}
    missing = {name for name in known if not any(one.startswith(f"{name} ") for one in made_by)}
    versions = ", ".join(sorted(made_by | {f"{name} (not installed)" for name in missing}))
    lines = [
        "# Calibration: our tests and the peers on ten distributions",
        "",
        *_figure(
            "false-edges",
            "A dot plot: on six laws the default of edgewise errs in about 5 % of the data sets or "
            "less, Fisher's test in up to 100 %",
            f"The share of data sets with any false edge: {N:,} rows of {P} variables. 5 % is "
            "promised; the grey band would hold 95 % of the dots of such a test. The axis is stretched near zero.",
        ),
        "## What the figures show",
        "",
        *_reading(results),
        "",
        "## How it was measured",
        "",
        f"Made by `make calibration` (an hour on two cores) with the seed {SEED} and {versions}. "
        "All numbers, with their 95 % bands, are in [calibration.csv](calibration.csv). `python "
        "-m benchmarks.calibration --only score batch` draws only these anew.",
        "",
        f"All tests judge the same data sets: {N:,} rows of a chain of {P} variables (Θ ∝ I + "
        f"0.3·neighbours; 9 edges, 36 null pairs), at the level {ALPHA}, by `edgewise.calibrate`. "
        f"The peers judge only the first of them{_peers_draws(results)}. "
        "Holm's correction was applied to the p-values of pingouin and causal-learn too."
        + _not_judged(results),
        "",
        *_folded("The tests, and how many data sets each judged", _tests(results)),
        *_folded("The ten laws", _laws()),
        "Bars are 95 % bands. Red diamonds have a band wholly on the wrong side of the dashed "
        "line.",
        "",
    ]
    for rate, (title, text, label) in _FIGURES.items():
        name = f"calibration-{rate.replace('_', '-')}"
        lines += [f"## {title}", "", text, "", *_figure(name, f"A dot plot: {label}")]
        if rate == "family_wise_error":
            lines += _folded("The same as numbers", _table(results, rate))
    lines += [
        "## Power with few rows",
        "",
        f"The same chain, {_few_draws(results)} data sets per cell "
        "(`python -m benchmarks.calibration --few-rows`).",
        "",
        *_figure(
            "calibration-few-rows",
            "Two dot plots for 200 rows and two for 500: errors, and edges that are found",
        ),
        *_folded(
            "The same as numbers",
            [line for n in FEW_ROWS for line in ("", *_few_rows_table(results, n))],
        ),
    ]
    return "\n".join(lines)


def _peers_draws(results: Results) -> str:
    """How many data sets the peers judge, in brackets."""
    draws = _draws(results)
    peers = [one.name for one in CONTESTANTS if one.package != "edgewise" and one.name in draws]
    counts = ", ".join(f"{name} the first {draws[name]:,}" for name in peers)
    return f" ({counts})" if counts else ""


def _not_judged(results: Results) -> str:
    """Which laws some tests did not judge, though they judged others."""
    judged = [
        {law for test, law, n in results if test == one.name and n == N} for one in CONTESTANTS
    ]
    some = [laws for laws in judged if laws]
    missing = [TITLES[law] for law in LAWS if any(law not in laws for laws in some)]
    return f" A test without a number did not judge {' and '.join(missing)}." if missing else ""


def _draws(results: Results) -> dict[str, int]:
    return {name: run.draws for (name, _, n), run in results.items() if n == N}


def _few_draws(results: Results) -> str:
    """How many data sets the tables of few rows have: "1,000 to 2,000"."""
    draws = sorted({run.draws for (_, _, n), run in results.items() if n in FEW_ROWS})
    return " to ".join(f"{count:,}" for count in (draws[:1] + draws[-1:])[: len(draws)])


def _tests(results: Results) -> list[str]:
    draws = _draws(results)
    return [
        "| test | promise | data sets of each law |",
        "|---|---|---:|",
        *(f"| {one.name} | {one.promise} | {draws.get(one.name, 0):,} |" for one in CONTESTANTS),
    ]


def _laws() -> list[str]:
    laws = {
        "gaussian": ("`gaussian`", "normal"),
        "laplace": ("`laplace`", "multivariate Laplace (power exponential, ω = 1), elliptical"),
        "t5": ("`t5`", "multivariate t with 5 degrees of freedom, elliptical"),
        "t3": ("`StudentT(3)`", "the same with 3: no fourth moments"),
        "contaminated": ("`contaminated`", "5 % of the rows five times as large, elliptical"),
        "exponential": ("`exponential`", "independent exponential components, mixed"),
        "lognormal": ("`lognormal`", "independent log-normal components (σ = 1), mixed"),
        "pareto components": (
            "`Pareto(3)`",
            "independent Pareto components of shape 3, mixed: no fourth moments",
        ),
        "pareto": (
            "`pareto`",
            "skewed rows that share a heavy tail: Pareto, shape 6, Clayton copula, mixed",
        ),
        "ar1": ("`ar1`", "Gaussian rows that keep 0.7 of the row before: not independent"),
    }
    return [
        "| panel, column | name in `edgewise.simulate` | law of the rows |",
        "|---|---|---|",
        *(f"| {_both(name)} | {call} | {law} |" for name, (call, law) in laws.items()),
    ]


def _head(law: str) -> str:
    return HEADS.get(law, law)


def _both(law: str) -> str:
    """The title of the panel, and the head of the column where it is another."""
    title, head = TITLES[law], _head(law)
    return title if title == head else f"{title}, {head}"


def _table(results: Results, rate: str) -> list[str]:
    lines = ["| test | " + " | ".join(map(_head, LAWS)) + " |"]
    lines.append("|---|" + "---:|" * len(LAWS))
    for contestant in CONTESTANTS:
        runs = {law: results.get((contestant.name, law, N)) for law in LAWS}
        nothing = "–" if any(runs.values()) else "not installed"
        cells = [nothing if run is None else _cell(run, rate) for run in runs.values()]
        lines.append(f"| {contestant.name} | {' | '.join(cells)} |")
    return lines


def _few_rows_table(results: Results, n: int) -> list[str]:
    shown = {"family_wise_error": "error", "power": "power"}
    heads = [f"{_head(law)}: {word}" for law in FEW_ROWS_LAWS for word in shown.values()]
    lines = [f"| {n:,} rows | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for name in FEW_ROWS_TESTS:
        runs = [results.get((name, law, n)) for law in FEW_ROWS_LAWS]
        cells = [_cell(run, rate) for run in runs for rate in shown]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _cell(run: Run | None, rate: str) -> str:
    if run is None:
        return "not installed"
    estimate = run.rates[rate]
    if math.isnan(estimate.value):
        return "–"
    mark = _BROKEN if _broken(estimate, rate) else _KEPT
    return f"{mark}{estimate.value:.3f}{mark}"


def _broken(estimate: Estimate, rate: str) -> bool:
    if rate == "coverage":
        return estimate.high < 1 - ALPHA
    return rate != "power" and estimate.low > ALPHA


def _reading(results: Results) -> list[str]:
    """Sentences with the numbers of this run in them, and only those that it bears out."""

    unknown = Run(0, "", dict.fromkeys(RATES, Estimate(math.nan, math.nan, math.nan)))

    def rate(name: str, law: str, what: str = "family_wise_error", n: int = N) -> Estimate:
        return results.get((name, law, n), unknown).rates[what]

    def at(name: str, law: str, what: str = "family_wise_error", n: int = N) -> str:
        value = rate(name, law, what, n).value
        return "an unknown share" if math.isnan(value) else f"{value:.3f}"

    def broken(name: str) -> str:
        caught = [
            f"{_head(law)} ({at(name, law)})"
            for law in LAWS
            if _broken(rate(name, law), "family_wise_error")
        ]
        return ", ".join(caught) or "none"

    few = FEW_ROWS[0]
    return [
        f"- Fisher's test makes a family-wise error in {at('fisher', 't5')} of t₅ and "
        f"{at('fisher', 'contaminated')} of contaminated data sets. The p-values of pingouin and "
        "causal-learn are the same or nearly so. For `score` the shares "
        f"are {at('score', 't5')} and {at('score', 'contaminated')}.",
        "- `GraphicalLassoCV` is an estimate, not a test: its support contains a false edge in "
        f"{at('graphical lasso', 'gaussian')} of Gaussian data sets.",
        "- The family-wise error is clearly above 0.05 (the band lies above it) for "
        + "; ".join(f"`{name}` on {broken(name)}" for name in ("score", "wald", "batch"))
        + ". Rows that are skewed and share a heavy tail are "
        "[beyond any test](limits.md#skewed-rows-that-share-a-heavy-tail) that sees only the "
        "sample.",
        "- Every per-edge test for independent rows fails if rows depend on the row before "
        f"(`score` {at('score', 'ar1')}); `batch` ({at('batch', 'ar1')}) is made for such rows. "
        "The bounds make no error there only because they have slack.",
        "- A bound on all entries at once costs power. Of the edges of Gaussian rows `score` "
        f"finds {at('score', 'gaussian', 'power')}, `whitened` with the chi-square radius "
        f"{at('whitened, chi2', 'gaussian', 'power')}, with the trace radius "
        f"{at('whitened, trace', 'gaussian', 'power')}, and the paper's thresholds "
        f"{at('eig (paper)', 'gaussian', 'power')} (eig) and "
        f"{at('trace (paper)', 'gaussian', 'power')} (trace).",
        f"- Of the edges of {few} t₅ rows `score` finds "
        f"{at('score', 't5', 'power', few)} and errs in {at('score', 't5', n=few)} of the data "
        f"sets; `fisher` finds {at('fisher', 't5', 'power', few)} and errs in "
        f"{at('fisher', 't5', n=few)}. On Gaussian rows, where `fisher` is right, it finds "
        f"{at('fisher', 'gaussian', 'power', few)} and `score` "
        f"{at('score', 'gaussian', 'power', few)}.",
    ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
