"""The whole ladder of tests on the command line: options of `test`, and `compare` on real data."""

from __future__ import annotations

import json

import numpy as np
import pytest

import edgewise as ew
from edgewise.questions.compare_methods import all_variants

HOEFFDING = ["--method", "whitened", "--radius", "hoeffding"]
BERNSTEIN = ["--method", "whitened", "--radius", "bernstein"]


@pytest.fixture(scope="module")
def npy_file(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("ladder") / "rows.npy"
    np.save(path, rows)
    return path


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--min-effect", "0.3"], {"min_effect": 0.3}),
        (
            ["--method", "wald", "--min-effect", "0.2", "--effect-scale", "precision"],
            {"method": "wald", "min_effect": 0.2, "effect_scale": "precision"},
        ),
        (
            ["--method", "whitened", "--radius", "chi2", "--alpha", "0.3"],
            {"method": "whitened", "radius": "chi2", "alpha": 0.3},
        ),
        (
            ["--method", "spectral", "--radius", "hoeffding", "--support", "-60,60"],
            {"method": "spectral", "radius": "hoeffding", "support": (-60, 60)},
        ),
        (
            [
                *["--method", "whitened", "--radius", "bernstein", "--support", "-3,3"],
                *["--outside", "0.2"],
            ],
            {"method": "whitened", "radius": "bernstein", "support": (-3, 3), "outside": 0.2},
        ),
        (
            ["--method", "whitened", "--radius", "chebyshev", "--kurtosis", "4"],
            {"method": "whitened", "radius": "chebyshev", "kurtosis": 4},
        ),
        (
            ["--method", "batch", "--n-batches", "16", "--correction", "maxt"],
            {"method": "batch", "n_batches": 16, "correction": "maxt"},
        ),
        (
            ["--method", "batch", "--correction", "maxt", "--random-state", "5"],
            {"method": "batch", "correction": "maxt", "random_state": 5},
        ),
        (
            [
                *["--method", "sequential", "--tuned-for", "400", "--tuned-level", "0.1"],
                *["--n-batches", "20", "--correction", "bonferroni"],
            ],
            {
                "method": ew.Sequential(tuned_for=400, tuned_level=0.1, n_batches=20),
                "correction": "bonferroni",
            },
        ),
        (["--method", "trace", "--correction", "none"], {"method": "trace"}),
    ],
    ids=[
        *("min-effect", "effect-scale", "radius", "support", "outside", "kurtosis"),
        *("maxt", "seed", "sequential", "none"),
    ],
)
def test_the_options_are_those_of_edge_test(run_edgewise, npy_file, rows, arguments, options):
    document = json.loads(run_edgewise("test", npy_file, "--json", "-", *arguments).stdout)
    result = ew.edge_test(rows, **options)
    assert (document["method"], document["correction"]) == (result.method, result.correction)
    assert document["alpha"] == result.alpha
    assert document["options"] == result.options
    assert document["reject"] == result.reject.tolist()
    np.testing.assert_allclose(
        document["adjusted_pvalue"][0][1:], result.adjusted_pvalue[0, 1:], rtol=1e-9
    )


def test_a_generous_budget(run_edgewise, npy_file, rows):
    document = json.loads(
        run_edgewise("test", npy_file, "--method", "eig", "--budget", "60", "--json", "-").stdout
    )
    assert document["method"] == "eig"
    assert document["n_samples"] == 400
    wanted = {"budget": 60.0, "rows_available": 400, "sampling": "all rows"}
    assert wanted.items() <= document["options"].items()


def test_a_small_budget_reads_some_of_the_rows(run_edgewise, tmp_path):
    path = tmp_path / "many.npy"
    np.save(path, np.random.default_rng(0).standard_normal((300_000, 3)))
    document = json.loads(run_edgewise("test", path, "--budget", "0.004", "--json", "-").stdout)
    assert document["method"] in ("trace", "eig")
    assert 3 < document["n_samples"] < 300_000
    assert document["options"]["rows_available"] == 300_000
    assert document["options"]["sampling"].endswith(("evenly spread", "of the first 65536"))


def test_short_batches_are_a_word_on_standard_error(run_edgewise, npy_file):
    done = run_edgewise("test", npy_file, "--method", "batch", "--n-batches", "100")
    (line,) = done.stderr.splitlines()
    assert line.startswith("edgewise: n_batches: batches of 4 rows are too short")
    assert "method 'batch'" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "status", "fragments"),
    [
        (["--min-effect", "-0.1"], 2, ["min_effect", "got -0.1"]),
        (["--effect-scale", "rho"], 2, ["--effect-scale", "'rho'", "'precision'"]),
        (["--budget", "0"], 2, ["budget", "above 0", "seconds"]),
        (["--budget", "1", "--drop-missing"], 2, ["budget", "missing='drop'"]),
        (["--method", "whitened", "--radius", "nope"], 2, ["--radius", "'nope'", "'chi2'"]),
        (["--method", "whitened", "--alpha", "0.3"], 2, ["alpha", "0.2151", "'chi2'"]),
        (["--method", "whitened", "--support", "0,1"], 2, ["support", "'hoeffding'"]),
        (HOEFFDING, 2, ["support", "'hoeffding'", "None"]),
        ([*HOEFFDING, "--support", "0;1"], 2, ["support", "two numbers", "got '0;1'"]),
        ([*HOEFFDING, "--support", "1,0"], 2, ["support", "(low, high)", "(1.0, 0.0)"]),
        ([*HOEFFDING, "--support", "-1,1"], 1, ["support", "'x0'", "between -1 and 1"]),
        (BERNSTEIN, 2, ["support", "'bernstein'", "None"]),
        ([*BERNSTEIN, "--support", "-1,1"], 1, ["support", "'x0'", "between -1 and 1"]),
        ([*BERNSTEIN, "--support", "-1,1", "--outside", "1"], 2, ["outside", "between 0 and 1"]),
        ([*BERNSTEIN, "--support", "-1,1", "--outside", "-0.1"], 2, ["outside", "got -0.1"]),
        ([*BERNSTEIN, "--support", "-1,1", "--outside", "0.01"], 1, ["outside", "of 400 rows"]),
        (["--method", "whitened", "--outside", "0.01"], 2, ["outside", "support"]),
        (["--method", "whitened", "--radius", "chebyshev"], 2, ["kurtosis", "None"]),
        (["--method", "whitened", "--kurtosis", "2"], 2, ["kurtosis", "'chebyshev'"]),
        (["--method", "spectral", "--radius", "chebyshev"], 2, ["radius", "'chebyshev'"]),
        (["--method", "batch", "--n-batches", "1"], 2, ["n_batches", "from 2 on"]),
        (["--method", "batch", "--n-batches", "401"], 2, ["n_batches", "400 rows", "got 401"]),
        (["--correction", "maxt"], 2, ["maxt", "'score'", "method='batch'"]),
        (["--method", "sequential", "--tuned-for", "1"], 2, ["tuned_for", "from 2 on"]),
        (["--method", "sequential", "--tuned-level", "2"], 2, ["tuned_level", "between 0 and 1"]),
        (["--method", "fisher", "--random-state", "1"], 2, ["random_state", "'fisher'"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_cannot_be_served(run_edgewise, npy_file, arguments, status, fragments):
    done = run_edgewise("test", npy_file, *arguments, status=status)
    assert done.stdout == ""
    sentence = done.stderr.splitlines()[-1]
    for fragment in fragments:
        assert fragment in sentence


@pytest.mark.parametrize("method", ["whitened", "spectral", "trace", "eig"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", "maxt"])
def test_a_bound_takes_no_correction(run_main, npy_file, method, correction):
    asked = ("--method", method, "--correction", correction)
    out, err = run_main("test", npy_file, *asked, status=2)
    assert out == ""
    (line,) = err.splitlines()
    assert f"correction: method '{method}' bounds all entries at once and needs none" in line
    assert f"got '{correction}'; leave it out" in line


@pytest.mark.parametrize("method", ["whitened", "spectral", "trace", "eig"])
def test_the_default_correction_is_no_error(run_main, npy_file, method):
    out, _ = run_main("test", npy_file, "--method", method, "--json", "-")
    assert json.loads(out)["correction"] is None


@pytest.mark.parametrize("name", ["sp500.parquet", "sachs.csv"])
def test_the_ladder_on_real_data(run_edgewise, table_of, tmp_path, require, name):
    path = tmp_path / name
    if name == "sachs.csv":
        table = ew.datasets.load_sachs()
        require("pyarrow.csv").write_csv(table, path)
    else:
        table = ew.datasets.load_sp500_returns()
        require("pyarrow.parquet").write_table(table, path)
    done = run_edgewise("compare", path)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    heading = next(line for line in done.stdout.splitlines() if line.startswith("┃ method"))
    for word in ("guarantee", "threshold on |Θ|", "as |ρ|", "edges", "of score's", "seconds"):
        assert word in heading
    shown = table_of(done)
    assert list(shown) == [label for label, _ in all_variants()]
    score = ew.edge_test(table)
    for label, method in all_variants():
        guarantee, threshold, rho, edges, agreement, seconds = shown[label]
        assert guarantee == method.guarantee
        # More rows would not help `kendall, bound` where values are tied.
        assert threshold.startswith(("needs ", "infinite")) == (rho == "infinite")
        assert float(seconds) >= 0
        shared, of = map(int, agreement.split("/"))
        assert of == score.n_edges
        assert shared <= min(of, int(edges))
    assert shown["score"][4] == f"{score.n_edges}/{score.n_edges}"
    batch = ew.edge_test(table, method="batch")
    assert shown["batch"][3] == str(batch.n_edges)
    both = np.count_nonzero(batch.reject & score.reject) // 2
    assert shown["batch"][4] == f"{both}/{score.n_edges}"
    advice, *step = [line for line in done.stdout.splitlines() if "'batch'" in line]
    assert advice.startswith("Use method 'batch': rows depend on the rows before them")
    assert step == ["Next, test with method 'batch':"]
    assert advice.endswith(".")
