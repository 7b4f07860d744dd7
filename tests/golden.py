"""Every method on many inputs, compared with the numbers in `tests/reference/golden.npz`.

    python tests/golden.py            compare, to 1e-9
    python tests/golden.py --write    make the file anew; only when an issue changes the statistics

The file has estimates, statistics, log p-values, thresholds, radii, intervals and decisions. Names
and signatures may change, and then the calls below; the keys and the numbers stay.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import edgewise as ew
from edgewise.errors import EdgewiseError
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.pair import PairTest

FILE = Path(__file__).parent / "reference" / "golden.npz"


def tolerance(key: str) -> float:
    # The matrix-free solver stops at a residual of its own, and adds it to the eigenvalue.
    return 1e-7 if "matrix-free" in key else 1e-9


# Inputs ---------------------------------------------------------------------------------------


def chain(noise: np.ndarray, rho: float = 0.5) -> np.ndarray:
    """Rows of a chain: each column is its own noise and a part of the column before it."""
    X = noise.copy()
    for j in range(1, X.shape[1]):
        X[:, j] += rho * X[:, j - 1]
    return np.round(X, 6)  # the same to the last bit on every machine


def autoregressive(noise: np.ndarray, rho: float = 0.8) -> np.ndarray:
    X = noise.copy()
    for i in range(1, len(X)):
        X[i] += rho * X[i - 1]
    return X


def inputs() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(20261118)
    shape = (300, 5)
    normal = rng.standard_normal(shape)
    scale = np.where(rng.random((300, 1)) < 0.1, 5.0, 1.0)
    gaussian = chain(normal)
    wide = chain(rng.standard_normal((40, 50)))
    few_values = chain(rng.standard_normal((600, 4)))
    return {
        "gaussian": gaussian,
        "t5": chain(rng.standard_t(5, shape)),
        "t3 with common scale": chain(
            rng.standard_normal(shape) / np.sqrt(rng.chisquare(3, (300, 1)))
        ),
        "cauchy": chain(rng.standard_cauchy(shape)),
        "laplace": chain(rng.laplace(size=shape)),
        "uniform": chain(rng.random(shape)),
        "exponential": chain(rng.exponential(size=shape)),
        "log-normal": np.round(np.exp(gaussian), 6),
        "contaminated": chain(normal * scale),
        "counts": rng.poisson(np.exp(0.5 * gaussian)).astype(float),
        "binary": (few_values > 0).astype(float),
        "five values": np.clip(np.round(few_values), -2, 2),
        "means of 1e6": gaussian + 1e6,
        "scales": gaussian * np.array([1e-6, 1e-3, 1.0, 1e3, 1e6]),
        "two columns": chain(rng.standard_normal((50, 2))),
        "few rows": chain(rng.standard_normal((25, 6))),
        "fewer rows than columns": wide,
        "dependent rows": chain(autoregressive(rng.standard_normal((1000, 4)))),
        "sorted rows": gaussian[np.argsort(gaussian[:, 0])],
        "nearly collinear": np.column_stack(
            [gaussian, gaussian[:, 0] + 0.01 * np.roll(gaussian[:, 1], 1)]
        ),
        "no edges": np.round(rng.standard_t(4, (200, 8)), 6),
        "hub": chain(rng.standard_normal((400, 12)), 0.0)
        + 0.4 * np.round(rng.standard_normal((400, 1)), 6),
        "many rows": chain(rng.standard_t(6, (15_000, 3))),
        "one edge": chain(rng.standard_normal((5000, 3)), 0.05),
    }  # fmt: skip


def methods() -> dict[str, dict[str, Any]]:
    """The variants of all methods: options of `edge_test`."""
    bounds = {"method": "whitened"}, {"method": "spectral"}
    variants: dict[str, dict[str, Any]] = {
        name: {"method": name}
        for name in ("score", "wald", "batch", "kendall", "nodewise", "fisher", "elliptical",
                     "entrywise", "whitened", "spectral", "trace", "eig", "sequential")
    }  # fmt: skip
    variants |= {
        "batch, 20 batches": {"method": "batch", "n_batches": 20},
        "batch, maxt": {"method": "batch", "correction": "maxt"},
        "kendall, 20 batches": {"method": "kendall", "n_batches": 20},
        "kendall, hoeffding": {"method": "kendall", "radius": "hoeffding"},
        "nodewise, penalty 2": {"method": "nodewise", "penalty": 2.0},
        "trace, standardized": {"method": "trace", "standardize": True},
        "trace, mu 0.5": {"method": "trace", "mu": 0.5},
        "eig, standardized": {"method": "eig", "standardize": True},
        "eig, matrix-free": {"method": "eig", "solver": "matrix-free"},
        "spectral, standardized": {"method": "spectral", "standardize": True},
        "whitened, chebyshev": {"method": "whitened", "radius": "chebyshev", "kurtosis": 9.0},
    }
    for method in bounds:
        for radius in ("chi2", "eig"):
            variants[f"{method['method']}, {radius}"] = method | {"radius": radius}
        for radius in ("hoeffding", "bernstein"):
            options = {"radius": radius, "support": (-12.0, 12.0)}
            variants[f"{method['method']}, {radius}"] = method | options
    return variants


# Cases: a key, and the call that makes its numbers --------------------------------------------


def cases(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    data = inputs()
    for name, X in data.items():
        for label, options in methods().items():
            rows = within(X, options.get("support"))
            yield f"{name} / {label}", lambda X=rows, options=options: ew.edge_test(X, **options)
    yield from questions(data)
    yield from incomplete(data)
    yield from groups(data)
    yield from single_pairs(data)
    yield from states(data, folder)
    yield from containers(data, folder)
    yield from others(data)


def within(X: np.ndarray, support: tuple[float, float] | None) -> np.ndarray:
    """The rows within a range, where one is declared."""
    if support is None:
        return X
    return X[((support[0] <= X) & (support[1] >= X)).all(axis=1)]


def questions(data: dict[str, np.ndarray]) -> Iterator[tuple[str, Callable[[], Any]]]:
    X, given = data["t5"], {"given": ["x0"]}
    some = {"pairs": [("x0", "x1"), ("x1", "x2"), ("x0", "x4")]}
    for method in ("score", "wald", "batch", "kendall", "nodewise", "entrywise", "trace"):

        def test(method: str = method, **options: Any) -> Callable[[], Any]:
            return lambda: ew.edge_test(X, method=method, **options)

        yield f"alpha 0.01 / {method}", test(alpha=0.01)
        yield f"given / {method}", test(**given)
        yield f"pairs / {method}", test(**some)
        yield f"columns / {method}", test(columns=["x3", "x1", "x2"])
        yield f"min_effect / {method}", test(min_effect=0.15)
        yield f"normal scores / {method}", test(transform="normal-scores")
        for correction in ("bonferroni", "bh", "by", "maxt", None):
            yield f"{correction} / {method}", test(correction=correction)
    for name in ("counts", "cauchy", "five values", "many rows"):
        for method in ("score", "batch"):
            yield (
                f"normal scores of {name} / {method}",
                lambda name=name, method=method: ew.edge_test(
                    data[name], method=method, transform="normal-scores"
                ),
            )


def with_holes(X: np.ndarray, share: float = 0.1) -> np.ndarray:
    X = X.copy()
    X[np.random.default_rng(7).random(X.shape) < share] = np.nan
    return X


def incomplete(data: dict[str, np.ndarray]) -> Iterator[tuple[str, Callable[[], Any]]]:
    rng = np.random.default_rng(8)
    for name in ("gaussian", "exponential", "means of 1e6", "dependent rows"):
        X = data[name]
        n = len(X)
        weights, copies = np.round(rng.exponential(size=n) + 0.1, 6), rng.integers(0, 4, n)
        subjects, long_subjects = np.arange(n) // 3, rng.integers(0, 40, n)
        few = {"n_batches": 20}  # a row beside its copies looks dependent: longer batches
        for method in ("score", "wald", "batch"):
            for label, rows, options in (
                ("pairwise", with_holes(X), {"missing": "pairwise"}),
                ("drop", with_holes(X, 0.02), {"missing": "drop"}),
                ("weights", X, {"weights": weights}),
                (
                    "weights and pairwise",
                    with_holes(X),
                    {"weights": weights, "missing": "pairwise"},
                ),
                ("frequency", np.repeat(X, copies, axis=0), few if method == "batch" else {}),
                ("clusters", X, {"clusters": subjects}),
                ("unequal clusters", X, {"clusters": long_subjects}),
            ):  # fmt: skip
                yield (
                    f"{name}, {label} / {method}",
                    lambda rows=rows, method=method, options=options: ew.edge_test(
                        rows, method=method, **options
                    ),
                )


def groups(data: dict[str, np.ndarray]) -> Iterator[tuple[str, Callable[[], Any]]]:
    labels = np.repeat(["low", "middle", "high"], 100)
    for name in ("gaussian", "t5", "exponential"):
        X = data[name]
        A, B = X[:140], X[140:] + 0.6 * np.roll(X[140:], 1, axis=1)
        for method in ("wald", "batch", "kendall", "fisher", "elliptical"):

            def compare(*rows: Any, method: str = method, **options: Any) -> Callable[[], Any]:
                return lambda: ew.compare_groups(*rows, method=method, **options)

            yield f"two groups of {name} / {method}", compare(A, B)
            yield f"two groups of {name}, bh / {method}", compare(A, B, correction="bh")
            yield f"three groups of {name} / {method}", compare(X, by=labels)
            yield f"two groups of {name}, given / {method}", compare(A, B, given=["x0"])
            scores = compare(A, B, transform="normal-scores")
            yield f"two groups of {name}, normal scores / {method}", scores
        yield f"two groups of {name}, permuted", compare(A, B, method="wald", permutations=99)
        subjects = {"clusters": (np.arange(140) // 2, np.arange(160) // 2)}
        yield f"two groups of {name}, clusters", compare(A, B, method="wald", **subjects)


def single_pairs(data: dict[str, np.ndarray]) -> Iterator[tuple[str, Callable[[], Any]]]:
    sets: tuple[list[str], ...] = ([], ["x1"], ["x1", "x3"], ["x1", "x3", "x4"])
    for name in ("gaussian", "t5", "exponential", "means of 1e6"):
        X = data[name]
        for method in ("score", "wald", "batch", "kendall", "fisher"):
            for given in sets:
                yield (
                    f"pair of {name} given {len(given)} / {method}",
                    lambda X=X, method=method, given=given: ew.partial_test(
                        X, "x0", "x2", given=given, method=method
                    ),
                )
        yield (
            f"conditional tests of {name} / rows",
            lambda X=X: [ew.ConditionalTest(X)("x0", "x2", given) for given in sets],
        )


def states(data: dict[str, np.ndarray], folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    def round_trip(state: Any) -> Any:
        path = folder / "state.ews"
        state.save(path)
        return ew.load_state(path)

    def merged(X: np.ndarray, **options: Any) -> Any:
        half = len(X) // 2 + 7
        first = ew.accumulate(X[:half], **options)
        return round_trip(first + round_trip(ew.accumulate(X[half:], **options)))

    def sequence(X: np.ndarray) -> list[Any]:
        looks, seen = [], ew.ConfidenceSequence(tuned_for=200)
        for rows in np.array_split(X, 5):
            looks.append(seen.update(rows).result())
        return looks

    kinds: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
        "moments": ({}, ("trace", "spectral", "fisher", "elliptical", "whitened")),
        "batches": ({"n_batches": 20}, ("batch", "fisher", "entrywise", "sequential")),
        "concordance": ({"concordance": True}, ("kendall",)),
    }
    for name in ("t5", "means of 1e6", "counts", "many rows"):
        X = data[name]
        for kind, (options, tests) in kinds.items():
            for method in tests:
                yield (
                    f"merged {kind} of {name} / {method}",
                    lambda X=X, options=options, method=method: ew.edge_test(
                        merged(X, **options), method=method
                    ),
                )
        pairwise = {"n_batches": 20, "missing": "pairwise"}
        holes = with_holes(X)
        yield (
            f"merged pairwise of {name} / batch",
            lambda holes=holes, pairwise=pairwise: ew.edge_test(
                merged(holes, **pairwise), method="batch"
            ),
        )
        yield f"sequence of {name}", lambda X=X: sequence(X)


def containers(
    data: dict[str, np.ndarray], folder: Path
) -> Iterator[tuple[str, Callable[[], Any]]]:
    import dask.array as da
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    tests = ("score", "wald", "batch", "kendall", "entrywise", "trace", "eig", "whitened", "fisher")
    for name in ("t5", "means of 1e6", "many rows"):
        X = data[name]
        columns = [f"x{j}" for j in range(X.shape[1])]
        table = pa.table(dict(zip(columns, X.T, strict=True)))
        csv, parquet = folder / f"{name}.csv", folder / f"{name}.parquet"
        pyarrow.csv.write_csv(table, csv)
        pq.write_table(table, parquet, row_group_size=len(X) // 3 + 1)
        stream = lambda X=X: iter(np.array_split(X, 4))  # noqa: E731
        chunks = da.from_array(X, chunks=(len(X) // 3 + 1, -1))
        for kind, container in (
            ("csv", lambda csv=csv: csv),
            ("parquet", lambda parquet=parquet: parquet),
            ("arrow", lambda table=table: table),
            ("dask", lambda chunks=chunks: chunks),
            ("stream", stream),
        ):
            for method in tests:
                yield (
                    f"{kind} of {name} / {method}",
                    lambda container=container, method=method: ew.edge_test(
                        container(), method=method
                    ),
                )


def others(data: dict[str, np.ndarray]) -> Iterator[tuple[str, Callable[[], Any]]]:
    def pooled(method: str) -> Any:
        rng = np.random.default_rng(9)
        X = data["gaussian"]
        holes = rng.random(X.shape) < 0.1
        copies = [np.where(holes, np.round(rng.permuted(X, axis=0), 6), X) for _ in range(4)]
        return ew.pool(ew.edge_test(copy, method=method) for copy in copies)

    for method in ("score", "wald", "batch", "kendall", "fisher"):
        yield f"pool / {method}", lambda method=method: pooled(method)
    for name in ("gaussian", "exponential", "means of 1e6"):
        X = data[name]
        for method in [
            "score",
            "wald",
            "batch",
            "kendall",
            "nodewise",
            "fisher",
            "elliptical",
            "entrywise",
            "whitened",
            "spectral",
            "trace",
            "eig",
            "sequential",
        ]:
            yield (
                f"plan of {name} / {method}",
                lambda X=X, by=method: ew.plan_sample_size(X, effect=0.2, method=by).pairs,
            )
            if method not in ("nodewise", "sequential"):
                yield (
                    f"detectable effect of {name} / {method}",
                    lambda X=X, method=method: ew.detectable_effect(X, method=method),
                )
        yield (
            f"covariance of covariance of {name}",
            lambda X=X: np.asarray(ew.covariance_of_covariance(X)),
        )
    yield (
        "shuffled columns",
        lambda: [
            [line.n_with_edges, line.n_failed]
            for line in ew.check_null(data["exponential"], n_shuffles=20)
        ],
    )
    returns = ew.datasets.load_sp500_returns()
    for label, options in methods().items():
        yield f"returns / {label}", lambda options=options: ew.edge_test(returns, **options)


# Numbers of a result --------------------------------------------------------------------------

_MATRICES = [
    "covariance",
    "precision",
    "partial_correlation",
    "statistic",
    "log_pvalue",
    "adjusted_pvalue",
    "threshold",
    "standard_error",
    "partial_correlation_standard_error",
    "reject",
    "pair_rows",
    "difference",
    "partial_correlation_a",
    "partial_correlation_b",
    "standard_error_a",
    "standard_error_b",
]
_SCALARS = ("n_samples", "n_features", "n_edges", "radius", "rows_needed", "global_pvalue")


def numbers(value: Any) -> dict[str, np.ndarray]:
    """The numbers of whatever a call returned, by name; matrices by their upper triangle."""
    if isinstance(value, EdgeDifferenceResult) and len(value.compared) > 1:
        value = value.comparisons()
    if isinstance(value, list):
        parts = value
        return {f"{k}.{key}": x for k, part in enumerate(parts) for key, x in numbers(part).items()}
    if isinstance(value, PairTest):
        ends = value.confidence_interval(0.9)
        estimates = (value.partial_correlation, value.statistic, value.log_pvalue)
        return {"pair": np.array([*estimates, *ends])}
    if isinstance(value, ew.EdgeTestResult | EdgeDifferenceResult):
        found = {name: getattr(value, name, None) for name in (*_SCALARS, *_MATRICES)}
        found["pair_rows"] = value.provenance.pair_rows
        scales = ("precision", "partial_correlation")
        for scale in scales if isinstance(value, ew.EdgeTestResult) else scales[1:]:
            for simultaneous in (False, True):
                ends = value.confidence_interval(0.9, scale, simultaneous)
                found |= {
                    f"interval of {scale}, {simultaneous}, {end}": x for end, x in enumerate(ends)
                }
        return {name: upper(x) for name, x in found.items() if x is not None}
    return {"value": upper(value)}


def upper(x: Any) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    square = x.ndim == 2 and x.shape[0] == x.shape[1]
    return x[np.triu_indices(len(x))] if square else np.atleast_1d(x).ravel()


def measured(call: Callable[[], Any]) -> dict[str, np.ndarray]:
    try:
        return numbers(call())
    except EdgewiseError as error:
        return {type(error).__name__: np.array([np.nan])}


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, as a share of the number or, for small ones, of their scale."""
    if found.shape != expected.shape:
        return np.inf
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    finite = np.isfinite(expected)
    scale = np.sqrt(np.mean(expected[finite] ** 2)) if finite.any() else 0.0
    with np.errstate(all="ignore"):
        # Below 1e-30 are only the logarithms of p-values that are 1.
        size = np.maximum(np.maximum(np.abs(expected), 1e-3 * scale), 1e-30)
        off = np.where(same, 0.0, np.abs(found - expected) / size)
    return float(np.nan_to_num(off, nan=np.inf, posinf=np.inf).max(initial=0.0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    warnings.simplefilter("ignore")
    found: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder:
        for key, call in cases(Path(folder)):
            for name, x in measured(call).items():
                found[f"{key} / {name}"] = x
    if write:
        keys = np.array(list(found))
        sizes = np.array([len(x) for x in found.values()])
        np.savez_compressed(FILE, keys=keys, sizes=sizes, numbers=np.concatenate([*found.values()]))
        print(f"{len(found)} arrays of {sizes.sum()} numbers in {FILE.stat().st_size / 1e6:.1f} MB")
        return 0
    with np.load(FILE) as file:
        parts = np.split(file["numbers"], np.cumsum(file["sizes"])[:-1])
        expected = dict(zip(map(str, file["keys"]), parts, strict=True))
    wrong = {key: difference(found[key], x) for key, x in expected.items() if key in found}
    worst = max(wrong.values())
    wrong = {key: off for key, off in wrong.items() if off > tolerance(key)}
    wrong |= dict.fromkeys(expected.keys() ^ found.keys(), np.inf)
    for key, off in sorted(wrong.items(), key=lambda item: -item[1])[:40]:
        print(f"{off:8.1e}  {key}")
    print(f"{len(expected)} arrays, {len(wrong)} differ; largest difference {worst:.1e}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
