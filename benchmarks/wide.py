"""More columns than rows: seconds and memory of `nodewise`, and scikit-learn's lasso beside it.

Rows of a chain with partial correlations of −0.3. Every size runs in a process of its own, with all
cores, so that its memory is its own. GraphicalLassoCV, 5 folds, runs in the same process, after it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.peak import peak_megabytes
from benchmarks.report import Line, Measurements

#: Rows, columns, and the most seconds that were asked for; 2,000 MB for each.
SIZES = ((150, 200, 1.0), (300, 500, 7.0), (300, 1000, 40.0))
MOST_MB = 2_000.0
LAWS = ("gaussian", "t5")
LASSO_SIZE = (300, 500)
_TIME, _MEMORY, _LASSO = (
    "More columns than rows, seconds",
    "More columns than rows, MB at the peak",
    "GraphicalLassoCV (5 folds) over nodewise, in one process",
)


def measure(
    sizes: tuple[tuple[int, int, float], ...] = SIZES,
    laws: tuple[str, ...] = LAWS,
    lasso_size: tuple[int, int] | None = LASSO_SIZE,
) -> Measurements:
    lines = []
    for n, p, most in sizes:
        for law in laws:
            beside = (n, p) == lasso_size and law == "gaussian"
            found = _in_a_process(n, p, law, beside)
            name = f"nodewise, {n} × {p}, {law}"
            lines.append(Line(_TIME, name, found["seconds"], at_most=most))
            lines.append(Line(_MEMORY, name, found["megabytes"], at_most=MOST_MB))
            if beside:
                ratio = found["lasso"] / found["seconds"]
                lines.append(Line(_LASSO, f"{n} × {p}, {law}", ratio, at_least=1.0))
    return Measurements(sorted(lines, key=lambda line: (_TIME, _MEMORY, _LASSO).index(line.group)))


def _in_a_process(n: int, p: int, law: str, lasso: bool) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.wide", str(n), str(p), law, str(int(lasso))],
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def run(n: int, p: int, law: str, lasso: bool) -> dict[str, float]:
    """Seconds and megabytes of this process; the first call, of a small table, does not count."""
    import warnings
    from time import perf_counter

    import edgewise as ew
    from edgewise.simulate import make_chain_precision, sample

    warnings.simplefilter("ignore")
    X = sample(law, make_chain_precision(p), n, rng=0)
    ew.edge_test(X[:, :20], method="nodewise")
    start = perf_counter()
    ew.edge_test(X, method="nodewise")
    found = {"seconds": perf_counter() - start}
    found["megabytes"] = peak_megabytes()
    if lasso:
        from sklearn.covariance import GraphicalLassoCV

        start = perf_counter()
        GraphicalLassoCV(cv=5, n_jobs=-1).fit(X)
        found["lasso"] = perf_counter() - start
    return found


if __name__ == "__main__":
    rows, columns, name, beside = sys.argv[1:]
    print(json.dumps(run(int(rows), int(columns), name, beside == "1")))
