"""Each peer as a user would call it, run in a process of its own by `benchmarks.peers`.

A function here takes the data and gives back what is timed: imports, and whatever form the peer
wants the data in, are free of charge.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable
from itertools import combinations
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

Prepared = Callable[[], Any]

# Short calls are repeated for about this long.
_REPEAT_SECONDS, _MOST_REPETITIONS = 3.0, 5
#: The same for all that penalise; scikit-learn's own default.
PENALTY = 0.01
BOOTSTRAP_FOLDS = 200


def edgewise_score(X: Any) -> Prepared:
    from edgewise import edge_test

    return lambda: edge_test(X, method="score")


def edgewise_fisher(X: Any) -> Prepared:
    from edgewise import edge_test

    return lambda: edge_test(X, method="fisher")


def numpy_cov(X: Any) -> Prepared:
    return lambda: np.cov(X, rowvar=False)


def pingouin_pcorr(X: Any) -> Prepared:
    """All partial correlations, without p-values."""
    import pingouin  # noqa: F401  registers DataFrame.pcorr

    frame = _frame(X)
    return lambda: frame.pcorr()


def pingouin_pairwise(X: Any) -> Prepared:
    """The p-value of every pair given all other columns."""
    import pingouin

    frame = _frame(X)
    names = list(frame)

    def run() -> dict[tuple[str, str], float]:
        found = {}
        for i, j in combinations(names, 2):
            others = [name for name in names if name not in (i, j)]
            test = pingouin.partial_corr(frame, x=i, y=j, covar=others)
            found[i, j] = float(test["p_val"].iloc[0])
        return found

    return run


def sklearn_graphical_lasso(X: Any) -> Prepared:
    from sklearn.covariance import GraphicalLasso

    return lambda: GraphicalLasso(alpha=PENALTY).fit(X).precision_


def sklearn_graphical_lasso_cv(X: Any) -> Prepared:
    from sklearn.covariance import GraphicalLassoCV

    return lambda: GraphicalLassoCV().fit(X).precision_


def causal_learn_fisher_z(X: Any) -> Prepared:
    """The p-value of every pair given all other columns."""
    from causallearn.utils.cit import CIT

    columns = range(X.shape[1])

    def run() -> dict[tuple[int, int], float]:
        test = CIT(X, "fisherz")
        return {
            (i, j): test(i, j, [k for k in columns if k not in (i, j)])
            for i, j in combinations(columns, 2)
        }

    return run


def gglasso_single(X: Any) -> Prepared:
    from gglasso.problem import glasso_problem

    def run() -> Any:
        problem = glasso_problem(
            np.cov(X, rowvar=False), X.shape[0], reg_params={"lambda1": PENALTY}, latent=False
        )
        problem.solve()
        return problem.solution.precision_

    return run


def statsmodels_nodewise(X: Any) -> Prepared:
    """A lasso of each column on the others."""
    from statsmodels.stats.regularized_covariance import RegularizedInvCovariance

    def run() -> Any:
        model = RegularizedInvCovariance(X)
        model.fit(alpha=PENALTY)
        return model.approx_inv_cov()

    return run


def numpy_bootstrap(X: Any) -> Prepared:
    """Standard errors of Θ̂ from resampled rows, and the two-sided normal p-values they give."""
    from scipy.stats import norm

    n = X.shape[0]

    def run() -> Any:
        rng = np.random.default_rng(0)
        estimate = np.linalg.inv(np.cov(X, rowvar=False))
        folds = [
            np.linalg.inv(np.cov(X[rng.integers(n, size=n)], rowvar=False))
            for _ in range(BOOTSTRAP_FOLDS)
        ]
        return 2 * norm.sf(np.abs(estimate) / np.std(folds, axis=0, ddof=1))

    return run


def _frame(X: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])


def _timed(call: Prepared, cap: float) -> float:
    # Whoever is still at work when the alarm rings is ended by it, in whichever library it is.
    signal.setitimer(signal.ITIMER_REAL, cap)
    start = perf_counter()
    call()
    seconds = perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    return seconds


def main(name: str, path: str, cap: str) -> None:
    warnings.simplefilter("ignore")
    X = np.load(path)
    prepare = globals()[name]
    # A little first, for what is loaded or compiled on first use.
    prepare(np.ascontiguousarray(X[:500, :4]))()
    call = prepare(X)
    seconds: list[float] = []
    while not seconds or (sum(seconds) < _REPEAT_SECONDS and len(seconds) < _MOST_REPETITIONS):
        seconds.append(_timed(call, float(cap)))
    print(median(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
