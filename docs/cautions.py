"""How often each caution of a result is a false alarm, and how often it is missing.

Tables of 1,000 rows and 6 columns. Prints the table of evidence.md.

    python docs/cautions.py               200 draws of each law, about two minutes
    python docs/cautions.py --draws 20
"""

from __future__ import annotations

import argparse
import warnings
from functools import cache

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import edgewise as ew
from edgewise.simulate import StudentT, make_chain_precision, sample

N, P = 1000, 6
CHAIN = make_chain_precision(P)


def drawn(law):
    return lambda rng: sample(law, CHAIN, N, rng=rng)


CLEAN = {
    **{law: drawn(law) for law in ("gaussian", "t5", "exponential", "lognormal")},
    "counts": lambda rng: rng.poisson(3, (N, P)).astype(float),
    "answers": lambda rng: np.digitize(rng.random((N, P)), [0.1, 0.3, 0.6, 0.8]) + 1.0,
    "yes and no": lambda rng: (rng.random((N, P)) < 0.3).astype(float),
}


def autoregressive(memory):
    return lambda rng: lfilter([1], [1, -memory], drawn("gaussian")(rng), axis=0)


def in_blocks(rng):
    return drawn("gaussian")(rng) + np.repeat(
        rng.standard_normal((N // 100, P)), 100, axis=0
    )


def one_cell(rng):
    X = drawn("gaussian")(rng)
    X[rng.integers(N), 2] = 100.0
    return X


def codes(rng):
    X = drawn("gaussian")(rng)
    X[rng.random(N) < 0.03, 1] = -999
    return X


def repeated(rng):
    X = drawn("gaussian")(rng)
    return rng.permutation(np.concatenate([X[:900], X[:100]]))


def standardised(rng):
    blocks = drawn("gaussian")(rng).reshape(-1, 10, P)
    return (
        (blocks - blocks.mean(axis=1, keepdims=True))
        / blocks.std(axis=1, keepdims=True)
    ).reshape(N, P)


def wide(rng):
    return rng.standard_t(5, (30, 60))


def transposed(rng):
    return wide(rng) * rng.lognormal(0, 2, (30, 1)) + rng.lognormal(0, 2, (30, 1))


def identifiers(rng):
    frame = pd.DataFrame(drawn("gaussian")(rng), columns=[f"x{k}" for k in range(P)])
    return frame.assign(patient_id=rng.permutation(N) + 10_000)


def missing(rng):
    X = drawn("gaussian")(rng)
    X[rng.random(N) < 0.1, 0] = np.nan
    return X


def missing_where_high(rng):
    X = drawn("gaussian")(rng)
    X[rng.random(N) < 0.2 / (1 + np.exp(-2 * X[:, 1])), 0] = np.nan
    return X


def two(draw):
    return lambda rng: (draw(rng), draw(rng))


def common(rng):
    X, other = two(drawn("gaussian"))(rng)
    return X, np.concatenate([X[:250], other[250:]])


def paired(rng):
    X, other = two(drawn("gaussian"))(rng)
    return X, X + other


GROUPS = {law: two(draw) for law, draw in CLEAN.items()}
# The kind of a caution, the law that it is for, the method, and the laws on which it is false.
CASES = [
    (
        "dependence",
        "each row keeps 0.2 of the row before",
        autoregressive(0.2),
        "score",
        CLEAN,
    ),
    ("levels", "random walks", autoregressive(1.0), "score", CLEAN),
    (
        "short batches",
        "blocks of 100 rows share half of the variance",
        in_blocks,
        "batch",
        CLEAN,
    ),
    ("heavy tails", "t5", drawn("t5"), "fisher", ("gaussian",)),
    (
        "far tails",
        "t3",
        drawn(StudentT(3.0)),
        "wald",
        ("gaussian", "t5", "exponential"),
    ),
    ("dominant rows", "one value of 100 deviations", one_cell, "score", CLEAN),
    ("codes", "3 % of a column are −999", codes, "score", CLEAN),
    ("repeated rows", "10 % of the rows are copies", repeated, "score", CLEAN),
    ("identifiers", "a column patient_id", identifiers, "score", CLEAN),
    (
        "standardised blocks",
        "z-scores within blocks of 10 rows",
        standardised,
        "score",
        CLEAN,
    ),
    ("transposed", "30 rows that differ as variables do", transposed, "nodewise", wide),
    (
        "missing values",
        "missing where another column is high",
        missing_where_high,
        "score",
        missing,
    ),
    ("common rows", "a fourth of the rows is in both groups", common, "groups", CLEAN),
    ("paired rows", "the same subjects before and after", paired, "groups", CLEAN),
]


def kinds(data, method: str) -> set[str]:
    """Of the cautions of a test of the data."""
    if method == "groups":
        return {one.kind for one in ew.compare_groups(*data).cautions}
    return {one.kind for one in ew.edge_test(data, method=method).cautions}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    n_draws = parser.parse_args().draws
    warnings.simplefilter("ignore", ew.errors.EdgewiseWarning)

    @cache
    def found(draw, method: str) -> list[set[str]]:
        return [
            kinds(draw(np.random.default_rng([1, k])), method) for k in range(n_draws)
        ]

    print("| caution | false alarms, worst law | the law that it is for | misses |")
    print("|---|---:|---|---:|")
    for kind, name, draw, method, clean in CASES:
        laws = {"": clean} if callable(clean) else {law: CLEAN[law] for law in clean}
        rates = {}
        for law, of_law in laws.items():
            own = GROUPS[law] if method == "groups" else of_law
            rates[law] = 100 * np.mean([kind in one for one in found(own, method)])
        worst = max(rates, key=lambda law: rates[law])
        where = f" ({worst})" if worst and rates[worst] else ""
        missed = 100 * np.mean([kind not in one for one in found(draw, method)])
        print(
            f"| {kind} | {rates[worst]:.1f} %{where} | {name} | {missed:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
