"""Calls in a process of their own, one beside the other: `answer` asks, and this module runs.

The process makes or opens the data, calls everything once, and then all calls in turn, again and
again; a ratio is taken within it. It knows of edgewise only `edge_test`, so that the code of an
older commit can be measured by the same worker.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.machine import ROOT
from benchmarks.peak import forget_peak, peak_megabytes, resident_megabytes

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

XTX, COV, DGEMM, SCAN = "X.T @ X", "numpy.cov", "a DGEMM", "Arrow's scan"
SYRK_GEMM = "DSYRK + DGEMM"
#: Shorter calls are repeated until they last this long: the clock is not the question.
_LEAST_SECONDS = 0.05
# What takes longer needs no second look to be known to be long.
_LONG_SECONDS = 2.0
# Large enough for the BLAS to reach its peak, and still short beside what it is compared with.
DGEMM_SIZE = 1000
_MISSING_SHARE = 0.1


@dataclass(frozen=True)
class Call:
    """A name of `_CALLS`, or a method of `edge_test` with its options."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ask:
    """What a process is to do. `data` is a kind of array of `shape`, or paths of files.

    With `cores=None` it has all of them; with one it is kept on one, so that no thread of anybody
    can make it look faster than it is.
    """

    calls: tuple[Call, ...]
    shape: tuple[int, int] = (0, 0)
    data: str | tuple[str, ...] = "array"
    cores: int | None = 1
    repeats: int = 3


@dataclass(frozen=True)
class Answer:
    """Of each call, in the order of the question: medians of its repetitions.

    `rise` is how far the memory rose in the first run of the last call, `peak` the most the
    process had until then, both in MB. `options` are those of the last call's result, which say
    how the work was done. `home` is where edgewise was found.
    """

    seconds: tuple[float, ...]
    cpu: tuple[float, ...]
    rise: float
    peak: float
    options: dict[str, Any]
    home: str

    def ratio(self, call: int = -1, unit: int = 0) -> float:
        return self.seconds[call] / self.seconds[unit]


class WorkerError(RuntimeError):
    """A process that was to measure something ended with an error."""


def answer(ask: Ask, source: Path | None = None) -> Answer:
    """Of a new process, with the edgewise of this folder, or of another `source`."""
    source = ROOT / "src" if source is None else source
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.worker", json.dumps(asdict(ask))],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(ask.cores) | {"PYTHONPATH": str(source)},
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise WorkerError(f"{ask.calls[-1].name} on {ask.data} of {ask.shape}: {why}")
    found = json.loads(done.stdout.splitlines()[-1])
    if Path(found["home"]).parents[1] != source.resolve():
        raise WorkerError(f"edgewise was to come from {source}, and came from {found['home']}")
    lists = {name: tuple(found.pop(name)) for name in ("seconds", "cpu")}
    return Answer(**lists, **found)


def environment(cores: int | None) -> dict[str, str]:
    """Ours with one thread for each BLAS, or with nothing said of threads."""
    kept = {name: value for name, value in os.environ.items() if name not in THREADS}
    return kept if cores is None else kept | dict.fromkeys(THREADS, str(cores))


def run(ask: Ask) -> Answer:
    """Do it here."""
    # Before edgewise is loaded, which may ask for the cores once.
    if ask.cores is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-ask.cores :])
    import edgewise

    warnings.simplefilter("ignore")
    calls = [_function(call) for call in ask.calls]
    for call in calls:
        _first_use(call, ask.data)
    data = _data(ask)
    forget_peak()
    before = resident_megabytes()
    timers = [Timer(partial(calls[-1], data))]
    peak = peak_megabytes()
    timers = [*(Timer(partial(call, data)) for call in calls[:-1]), *timers]
    for _ in range(ask.repeats):
        for timer in timers:
            timer.repeat()
    options = getattr(timers[-1].result, "options", {})
    return Answer(
        tuple(median(timer.seconds) for timer in timers),
        tuple(median(timer.cpu) for timer in timers),
        rise=peak - before,
        peak=peak,
        options={name: value for name, value in options.items() if isinstance(value, int | str)},
        home=str(Path(edgewise.__file__).resolve()),
    )


class Timer:
    """A call that is repeated often enough to be timed; warm from the start."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self._loops = 1
        self._measure()
        self._long = self.seconds[0] > _LONG_SECONDS
        if not self._long:
            # Warm by now, and known well enough to say how often to repeat it.
            self._measure()
            self._loops = math.ceil(_LEAST_SECONDS / self.seconds[-1])
            self.seconds.clear()
            self.cpu.clear()

    def repeat(self) -> None:
        if not self._long:
            self._measure()

    def _measure(self) -> None:
        start, cpu = perf_counter(), process_time()
        for _ in range(self._loops):
            self.result = self._call()
        self.cpu.append((process_time() - cpu) / self._loops)
        self.seconds.append((perf_counter() - start) / self._loops)


def _function(call: Call) -> Callable[[Any], object]:
    if call.name in _CALLS:
        return _CALLS[call.name]
    from edgewise import edge_test

    return partial(edge_test, **{"method": call.name} | call.options)


def _first_use(call: Callable[[Any], object], data: str | Sequence[str]) -> None:
    """Load what is loaded on first use: long calls are not repeated on the data themselves."""
    if isinstance(data, str):
        call(_array("array", (300, 4)))


def _data(ask: Ask) -> Any:
    return _array(ask.data, ask.shape) if isinstance(ask.data, str) else list(ask.data)


def _array(kind: str, shape: tuple[int, int]) -> Any:
    rng = np.random.default_rng(0)
    X = np.empty(shape)
    rng.standard_normal(out=X)  # in place: memory beyond the data is measured
    if kind == "array":
        return X
    if kind == "missing":
        X[rng.random(shape) < _MISSING_SHARE] = np.nan
        return X
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(X, columns=[f"c{k}" for k in range(shape[1])])
    raise ValueError(f"no data of the kind {kind}")


def _dgemm(_: Any) -> object:
    A = _square()
    return A @ A


@cache
def _square() -> Any:
    return np.random.default_rng(1).standard_normal((DGEMM_SIZE, DGEMM_SIZE))


def _syrk_gemm(X: Any) -> object:
    """The covariance of the rows, and the rows times a matrix of its size."""
    return X @ (X.T @ X)


def _eig_and_trace(X: Any) -> object:
    """Both thresholds of the paper, which is what its authors' program computes."""
    from edgewise import edge_test

    return edge_test(X, method="eig"), edge_test(X, method="trace")


def _numpy_fisher(X: Any) -> object:
    """Fisher's test of all partial correlations, as short as NumPy lets one write it."""
    from scipy.special import ndtr

    n, p = X.shape
    theta = np.linalg.inv(np.cov(np.asarray(X), rowvar=False))
    scale = np.sqrt(np.diag(theta))
    r = -(theta / np.outer(scale, scale))[np.triu_indices(p, k=1)]
    return 2 * ndtr(-math.sqrt(n - p - 1) * np.abs(np.arctanh(r)))


def _kendalltau(X: Any) -> object:
    """τ of all pairs, which is less than a test of edges: no partial correlations, no errors."""
    from scipy import stats

    return [stats.kendalltau(X[:, i], X[:, j]) for i, j in combinations(range(X.shape[1]), 2)]


def _scan(paths: Sequence[str]) -> None:
    """Arrow alone, reading the same columns in the same pieces and doing nothing with them."""
    from pyarrow import csv, parquet

    for path in paths:
        if path.endswith(".csv"):
            for _ in csv.open_csv(path):
                pass
        else:
            with parquet.ParquetFile(path, pre_buffer=False) as file:
                for _ in file.iter_batches(batch_size=65536):
                    pass


KENDALLTAU = "scipy.stats.kendalltau, all pairs"
_CALLS: dict[str, Callable[[Any], object]] = {
    XTX: lambda X: X.T @ X,
    COV: lambda X: np.cov(X, rowvar=False),
    DGEMM: _dgemm,
    SYRK_GEMM: _syrk_gemm,
    SCAN: _scan,
    KENDALLTAU: _kendalltau,
    "eig + trace": _eig_and_trace,
    "Fisher's test in NumPy": _numpy_fisher,
}


def _asked(text: str) -> Ask:
    ask = json.loads(text)
    data = ask.pop("data")
    return Ask(
        calls=tuple(Call(**call) for call in ask.pop("calls")),
        shape=tuple(ask.pop("shape")),
        data=data if isinstance(data, str) else tuple(data),
        **ask,
    )


if __name__ == "__main__":
    print(json.dumps(asdict(run(_asked(sys.argv[1])))))
