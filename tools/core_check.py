"""What must work with NumPy and SciPy alone, and what must say which part it needs.

`tests/tools/test_core_check.py` runs this file with every other package hidden (`--hide`);
`make dist-check` runs it in an environment that really has no other. It prints a line of JSON, the
error of each case or null, and ends with status 1 if one is not as it should be. With `--program`
it starts the program `edgewise` in place of all that.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEPT = {"numpy", "scipy", "threadpoolctl", "edgewise", *sys.stdlib_module_names}


class CoreOnly:
    """A finder of the import system that finds nothing but the core."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        top = name.partition(".")[0]
        if top not in KEPT and not top.startswith("_sysconfigdata"):
            return None
        return self._finder.find_spec(name, path, target)

    def __getattr__(self, name: str) -> Any:  # find_distributions, invalidate_caches
        return getattr(self._finder, name)


def rows() -> Any:
    import numpy as np

    found = np.random.default_rng(0).standard_normal((400, 4))
    found[:, 1] += found[:, 0]
    return found


def ew() -> Any:
    import edgewise

    return edgewise


def result() -> Any:
    return ew().edge_test(rows())


def difference() -> Any:
    return ew().compare_groups(rows()[:200], rows()[200:])


def every_method() -> None:
    from edgewise.methods.registry import registered

    for name in registered():
        if name != "nodewise":  # whose lasso is scikit-learn's
            ew().edge_test(rows(), method=name)


def saved_state() -> None:
    ew().accumulate(rows()).save("rows.state")
    assert ew().edge_test(ew().states.Moments.load("rows.state"), method="fisher").n_samples == 400


def names() -> None:
    package = ew()
    assert {"edge_test", "states"} <= set(dir(package))
    assert set(package.__all__) <= set(dir(package))
    assert all(hasattr(package, name) for name in dir(package))
    assert not hasattr(package, "nope")
    exec("from edgewise import *", {})


def every_plot() -> None:
    """The sentence of the first plot, if all have the same."""
    from edgewise.plots.plots import KINDS

    plots: list[Callable[[], object]] = [
        lambda kind=kind: result().plot(kind)  # type: ignore[misc]
        for kind in KINDS
    ]
    said = {outcome(one) for one in plots}
    raise ew().errors.MissingDependencyError(" and ".join(map(str, said)))


def picture_file() -> None:
    from edgewise.plots.export import plot_kind

    plot_kind("graph.png")


def graph_file() -> None:
    from edgewise.plots.export import write_graph

    write_graph(result(), "graph.graphml")


def simulated_file() -> None:
    from edgewise.simulate.files import write_rows

    write_rows("rows.parquet", ("a", "b"), [rows()[:, :2]])


def file_of(name: str, write: Callable[[Path], object]) -> Path:
    path = Path(name)
    write(path)
    return path


def files_of_numpy() -> None:
    import numpy as np

    for path in (
        file_of("rows.npy", lambda path: np.save(path, rows())),
        file_of("rows.npz", lambda path: np.savez(path, rows=rows())),
    ):
        ew().edge_test(path)


def json_lines() -> None:
    lines = [json.dumps(dict(zip("abc", row, strict=False))) for row in rows().tolist()]
    ew().edge_test(file_of("rows.jsonl", lambda path: path.write_text("\n".join(lines))))


def other_containers() -> None:
    import scipy.sparse

    columns = dict(zip("abc", rows().T, strict=False))
    records = [dict(zip("abc", row, strict=False)) for row in rows().tolist()]
    for data in (columns, records, scipy.sparse.csr_array(rows())):
        ew().edge_test(data)


WORKS: dict[str, Callable[[], object]] = {
    "edge_test": result,
    "every method": every_method,
    "a list of rows": lambda: ew().edge_test(rows().tolist()),
    "batches": lambda: ew().edge_test(iter([rows()[:200], rows()[200:]]), method="batch"),
    "mappings, records, sparse": other_containers,
    "files of NumPy": files_of_numpy,
    "groups": lambda: ew().edge_test(rows(), clusters=[i // 4 for i in range(400)]),
    "normal scores": lambda: ew().edge_test(rows(), transform="normal-scores"),
    "edge_test_within": lambda: ew().edge_test_within(rows(), 0.1),
    "accumulate, save and load": saved_state,
    "to_json": lambda: ew().EdgeTestResult.from_json(result().to_json()),
    "pickle": lambda: pickle.loads(pickle.dumps(result())),
    "summary": lambda: (repr(result()), result().summary(), result()._repr_html_()),
    "edges": lambda: (result().edges(), result().confidence_interval()),
    "CSV of pairs": lambda: result().to_csv("pairs.csv"),
    "plan_sample_size": lambda: ew().plan_sample_size(rows(), effect=0.1),
    "compare_methods": lambda: ew().compare_methods(rows()),
    "diagnose": lambda: ew().diagnose(rows()),
    "compare_groups": difference,
    "compare_groups by": lambda: ew().compare_groups(rows(), by=[0, 1] * 200),
    "partial_test": lambda: ew().partial_test(rows(), "x0", "x1", given=["x2"]),
    "ConditionalTest": lambda: ew().ConditionalTest(rows())(0, 1, [2]),
    "covariance_of_covariance": lambda: ew().covariance_of_covariance(rows()),
    "simulate": lambda: ew().simulate.sample("t5", ew().simulate.make_chain_precision(3), 9, rng=0),
    "names": names,
    "consensus": lambda: ew().datasets.load_sachs_consensus(),
}

#: What needs a part; the package that its sentence must name, and the extra (None: no extra).
NEEDS: dict[str, tuple[Callable[[], object], str, str | None]] = {
    "CSV": (
        lambda: ew().edge_test(file_of("r.csv", lambda path: path.write_text("a,b\n1,2\n"))),
        "pyarrow",
        "tables",
    ),
    "JSON lines": (json_lines, "pyarrow", "tables"),
    "Excel": (
        lambda: ew().edge_test(file_of("r.xlsx", lambda path: path.write_bytes(b""))),
        "openpyxl",
        "excel",
    ),
    "EdgeTest": (lambda: ew().EdgeTest, "scikit-learn", "sklearn"),
    "nodewise": (
        lambda: ew().edge_test(rows(), method="nodewise"),
        "scikit-learn",
        "sklearn",
    ),
    "plot": (lambda: result().plot(), "matplotlib", "plot"),
    "every plot": (every_plot, "matplotlib", "plot"),
    "plot of a difference": (lambda: difference().plot(), "matplotlib", "plot"),
    "picture file": (picture_file, "matplotlib", "plot"),
    "report": (lambda: result().report("report.html"), "jinja2", "plot"),
    "report of a difference": (lambda: difference().report("d.html"), "jinja2", "plot"),
    "to_networkx": (lambda: result().to_networkx(), "networkx", "plot"),
    "graph file": (graph_file, "networkx", "plot"),
    "to_frame": (lambda: result().to_frame(), "pyarrow", "tables"),
    "to_frame of pandas": (lambda: result().to_frame("pandas"), "pandas", None),
    "bundled data": (lambda: ew().datasets.load_sp500_returns(), "pyarrow", "tables"),
    "more bundled data": (lambda: ew().datasets.load_sachs(), "pyarrow", "tables"),
    "file of simulated rows": (simulated_file, "pyarrow", "tables"),
    "calibrate": (
        lambda: ew().calibrate.calibrate(
            "score",
            "t5",
            precision=ew().simulate.make_chain_precision(3),
            n_samples=99,
            n_draws=2,
            n_jobs=2,
        ),
        "joblib",
        "sklearn",
    ),
    "cluster": (
        lambda: ew().edge_test(ew().open_table(rows(), client=object())),
        "distributed",
        "dask",
    ),
    "causal-learn": (
        lambda: ew().integrations.causal_learn.register(),
        "causal-learn>=0.1.4.2",
        None,
    ),
    "pgmpy": (lambda: ew().integrations.pgmpy.ScoreTest(None), "pgmpy>=1.1", None),
    "tigramite": (lambda: ew().integrations.tigramite.ScoreCI(), "tigramite>=5.2.8", None),
}


def outcome(case: Callable[[], object]) -> str | None:
    """None if it worked; its sentence if a part is missing; otherwise the kind of error too."""
    try:
        case()
    except ew().errors.MissingDependencyError as error:
        return str(error)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return None


def outcomes() -> dict[str, str | None]:
    cases = WORKS | {name: case for name, (case, _, _) in NEEDS.items()}
    return {name: outcome(case) for name, case in cases.items()}


def problem(name: str, said: str | None) -> str | None:
    """What is wrong with the outcome of a case, if anything."""
    if name in WORKS:
        return None if said is None else f"{name}: expected to work with the core, got {said}"
    _, package, extra = NEEDS[name]
    remedy = f"[{extra}]" if extra is not None else f"pip install '{package}'"
    fragments = (f" needs {package}, which is not installed; install it with `pip install ", remedy)
    good = said is not None and said.count(". ") == 0 and all(one in said for one in fragments)
    return None if good else f"{name}: expected a sentence about {package} and {remedy}, got {said}"


def main() -> None:
    if "--hide" in sys.argv:
        sys.meta_path[:] = [CoreOnly(finder) for finder in sys.meta_path]
    if "--program" in sys.argv:
        from edgewise.__main__ import main as program

        program()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        here = Path.cwd()
        os.chdir(folder)
        found = outcomes()
        os.chdir(here)  # Windows cannot remove the folder that one is in
    print(json.dumps(found))
    if problems := [*filter(None, (problem(*one) for one in found.items()))]:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
