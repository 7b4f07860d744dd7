"""Other programs on the same data: what they deliver and how long they take.

Each measurement is a process of its own with one BLAS thread, ended when its time is up. All see
the same Gaussian rows of a chain, x_j = x_{j−1}/2 + noise: a sparse graph, as the penalised
estimates want it.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from benchmarks.cases import LONG, MIDDLE, WIDE, Shape, shape_name
from benchmarks.report import Line, Measurements
from benchmarks.worker import environment

SHAPES: tuple[Shape, ...] = ((100_000, 14), LONG, MIDDLE, WIDE)
CAP_SECONDS = 60.0
# Beyond the cap, for imports, the loading of the data and what is compiled on first use.
_START_SECONDS = 120.0

_NO_ERRORS = "no, an estimate without error control"


@dataclass(frozen=True)
class Peer:
    """A function of `benchmarks.peer_calls`, the package it needs, and what comes out of it.

    `times_faster` is how much faster the score test should be on LONG data.
    """

    name: str
    call: str
    package: str
    pvalues: str
    off_gaussian: str
    times_faster: float | None = None


SCORE = Peer("edgewise, score", "edgewise_score", "edgewise", "yes", "yes")

PEERS = (
    SCORE,
    Peer("edgewise, fisher", "edgewise_fisher", "edgewise", "yes", "no"),
    Peer("numpy.cov", "numpy_cov", "numpy", "no, a covariance matrix", "–"),
    Peer("pingouin pcorr", "pingouin_pcorr", "pingouin", "no, partial correlations", "–"),
    Peer("pingouin partial_corr, all pairs", "pingouin_pairwise", "pingouin", "yes", "no", 10),
    Peer("scikit-learn GraphicalLasso", "sklearn_graphical_lasso", "scikit-learn", _NO_ERRORS, "–"),
    Peer(
        "scikit-learn GraphicalLassoCV",
        "sklearn_graphical_lasso_cv",
        "scikit-learn",
        _NO_ERRORS,
        "–",
        10,
    ),
    Peer("causal-learn Fisher-z, all pairs", "causal_learn_fisher_z", "causal-learn", "yes", "no"),
    Peer("gglasso", "gglasso_single", "gglasso", _NO_ERRORS, "–"),
    Peer(
        "statsmodels RegularizedInvCovariance",
        "statsmodels_nodewise",
        "statsmodels",
        _NO_ERRORS,
        "–",
    ),
    Peer("NumPy bootstrap of Θ̂, 200-fold", "numpy_bootstrap", "numpy", "yes", "yes", 100),
)

#: Seconds, or in words why there are none.
Outcome = float | str


def measure(
    peers: Sequence[Peer] = PEERS,
    shapes: Sequence[Shape] = SHAPES,
    long: Shape = LONG,
    cap: float = CAP_SECONDS,
) -> Measurements:
    outcomes: dict[Peer, dict[Shape, Outcome]] = {peer: {} for peer in peers}
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        for shape in shapes:
            path = Path(folder) / "rows.npy"
            np.save(path, chain(shape))
            for peer in peers:
                outcomes[peer][shape] = _outcome(peer, shape, outcomes[peer], path, cap)
    return Measurements(
        [*_table(outcomes, cap), *_comparisons(outcomes, long, cap)],
    )


def peer_versions(peers: Sequence[Peer] = PEERS) -> dict[str, str]:
    """Of every package that was measured."""
    return {peer.package: _version(peer.package) or "not installed" for peer in peers}


def chain(shape: Shape) -> np.ndarray:
    X = np.random.default_rng(0).standard_normal(shape)
    for j in range(1, shape[1]):
        X[:, j] += X[:, j - 1] / 2
    return X


def _outcome(
    peer: Peer, shape: Shape, before: dict[Shape, Outcome], path: Path, cap: float
) -> Outcome:
    if _version(peer.package) is None:
        return "not installed"
    for smaller, outcome in before.items():
        within = smaller[0] <= shape[0] and smaller[1] <= shape[1]
        if within and outcome == _did_not_finish(cap):
            return f"not tried (see {shape_name(smaller)})"
    return run_capped(peer.call, path, cap)


def run_capped(call: str, path: Path, cap: float) -> Outcome:
    """Seconds of one of `benchmarks.peer_calls` on the rows at `path`, in a new process."""
    command = [sys.executable, "-m", "benchmarks.peer_calls", call, str(path), str(cap)]
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=2 * cap + _START_SECONDS,
            cwd=Path(__file__).parents[1],
            env=environment(1),
        )
    except subprocess.TimeoutExpired:
        return "failed: did not start in time"
    if done.returncode == -signal.SIGALRM:
        return _did_not_finish(cap)
    if done.returncode:
        return f"failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
    return float(done.stdout.split()[-1])


def _table(outcomes: dict[Peer, dict[Shape, Outcome]], cap: float) -> list[Line]:
    group = (
        "Peers, seconds on Gaussian rows of a chain, one BLAS thread, "
        f"at most {cap:g} s a measurement"
    )
    return [
        Line(
            group,
            peer.name,
            None,
            beside={"p-values": peer.pvalues, "valid off the Gaussian": peer.off_gaussian}
            | {shape_name(shape): outcome for shape, outcome in of_peer.items()},
        )
        for peer, of_peer in outcomes.items()
    ]


def _comparisons(outcomes: dict[Peer, dict[Shape, Outcome]], long: Shape, cap: float) -> list[Line]:
    """How many times faster the score test is; where a peer was stopped, at least that."""
    group = f"Times faster than a peer: edgewise's score, {shape_name(long)}, same run"
    score = outcomes.get(SCORE, {}).get(long)
    lines = []
    for peer, of_peer in outcomes.items():
        if peer is SCORE or long not in of_peer:
            continue
        outcome = of_peer[long]
        stopped = outcome == _did_not_finish(cap)
        seconds = cap if stopped else outcome
        if not isinstance(score, float) or not isinstance(seconds, float):
            lines.append(Line(group, peer.name, None, beside={"note": str(outcome)}))
            continue
        times, target = seconds / score, peer.times_faster
        # A bound from below that does not reach the target decides nothing.
        undecided = stopped and target is not None and times < target
        note = f"at least: {outcome}" if stopped else ""
        lines.append(
            Line(
                group,
                peer.name,
                times,
                at_least=None if undecided else target,
                beside={"note": f"{note}, target {target:g} undecided" if undecided else note},
            )
        )
    return lines


def _did_not_finish(cap: float) -> str:
    return f"did not finish in {cap:g} s"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
