"""Writing reports: whatever the data are, wherever it goes, whole or not at all."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pytest

import edgewise as ew
from edgewise.api.compare_methods import all_variants, compare_methods
from edgewise.api.reporting import sampled_scores
from edgewise.errors import DataError
from edgewise.tables.open import as_table


@pytest.fixture(scope="module")
def result(rows):
    return ew.edge_test(rows, feature_names=list("abcd"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.html"


def ladder(path):
    """The cells of the ladder, by method; nothing if there is none."""
    lines = re.findall(
        r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td class="right number">(.*?)</td>'
        r'<td class="right number">(.*?)</td></tr>',
        path.read_text(encoding="utf-8"),
    )
    return {label: tuple(map(unescape, cells)) for label, *cells in lines}


def facts(path):
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", path.read_text(encoding="utf-8")))


def payload(path):
    """What the script of a page works with."""
    text = path.read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    return json.loads(text)


class TestData:
    @pytest.mark.parametrize("opened", [False, True])
    def test_rows_make_a_ladder(self, result, csv_file, path, opened):
        result.report(path, data=as_table(csv_file) if opened else [str(csv_file)])
        found = ladder(path)
        assert list(found) == [label for label, _ in all_variants()]
        assert found["score"][2] == str(result.n_edges)
        assert {"tails", "dependence between rows", "scales"} < facts(path).keys()
        assert "<strong>Advice.</strong> Use method " in path.read_text(encoding="utf-8")

    def test_without_data_there_is_none(self, result, path):
        result.report(path)
        assert ladder(path) == {}
        assert facts(path).keys() == {"rows", "variables", "tested with"}
        assert "Advice" not in path.read_text(encoding="utf-8")

    def test_comparing_takes_long_and_is_left_out(self, rows, result, path, monkeypatch):
        for compare, numbers, wanted in (
            *((False, 10**9, False), (True, 0, True)),
            *((None, 1600, True), (None, 1599, False)),
        ):
            monkeypatch.setattr("edgewise.api.reporting._SOON_COMPARED", numbers)
            result.report(path, data=rows, compare=compare)
            assert bool(ladder(path)) == wanted
            assert "tails" in facts(path)

    @pytest.mark.parametrize("n_batches", [None, 20])
    def test_a_state_has_no_rows_left(self, rows, path, n_batches):
        state = ew.accumulate(rows, n_batches=n_batches)
        result = ew.edge_test(state, method="batch" if n_batches else "fisher")
        result.report(path, data=state)
        assert ladder(path) == {}
        assert facts(path)["rows"] == "400"

    def test_a_stream_is_refused(self, result, rows, path, refuses):
        for stream in (iter([rows]), (rows[k : k + 100] for k in range(0, 400, 100))):
            refuses(
                lambda stream=stream: result.report(path, data=stream),
                DataError,
                "data: expected rows that can be read again, got a stream",
                "leave data out",
            )
        assert not path.exists()

    def test_missing_values_are_left_out_as_in_the_test(self, rows, path):
        X = rows.copy()
        X[[3, 7], [0, 1]] = np.nan
        result = ew.edge_test(X, missing="drop")
        result.report(path, data=X)
        assert facts(path)["missing values and weights"] == (
            "2 rows with missing values were left out; left out because of one column alone: "
            "x0 (1), x1 (1)."
        )
        assert ladder(path)["score"][2] == str(result.n_edges)


class TestText:
    def test_the_ladder_is_that_of_compare(self, rows, result, path):
        result.report(path, data=rows)
        found = ladder(path)
        for line in compare_methods(as_table(rows), 0.05, "holm"):
            guarantee, threshold, edges = found[line.label]
            assert guarantee == line.guarantee
            assert edges == str(line.result.n_edges)
            limit = line.threshold_on_partial_correlation()
            if np.isinf(limit):
                assert threshold == f"infinite; needs {line.result.rows_needed:,} rows"
            elif limit > 1:
                assert threshold == "above 1"
            else:
                assert float(threshold) == pytest.approx(limit, rel=0.01)
        assert found["trace (paper)"][1].startswith("infinite; needs ")
        assert 0 < float(found["score"][1]) < 1


class TestRows:
    def test_a_page_holds_sampled_rows_unless_told_not_to(self, rows, result, path):
        result.report(path, data=rows, compare=False)
        assert payload(path)["sample"]["rows"] == 400
        assert "400 sampled rows as residuals" in path.read_text("utf-8")
        result.report(path, data=rows, compare=False, rows=False)
        assert payload(path)["sample"] is None
        assert "no rows of the data" in path.read_text("utf-8")

    def test_residuals_of_no_latent_correlations(self, rows, path):
        ew.edge_test(rows, method="kendall").report(path, data=rows, compare=False)
        assert payload(path)["sample"] is None


class TestFile:
    def test_the_same_result_is_the_same_file(self, rows, result, path, tmp_path):
        other = tmp_path / "other.html"
        result.report(path, data=rows)
        result.report(str(other), data=rows)
        assert path.read_bytes() == other.read_bytes()
        assert path.read_bytes().startswith(b"<!doctype html>")
        assert path.read_bytes().endswith(b"</html>")


class TestColumns:
    """The rows of a report are those of the columns that were tested."""

    @pytest.fixture
    def frame(self, rows, require):
        frame = require("pandas").DataFrame(rows, columns=list("abcd"))
        return frame.assign(city="x", twin=frame["a"])

    def test_the_others_are_left_out(self, frame, tmp_path):
        path = tmp_path / "x.html"
        tested = ew.edge_test(frame, columns=["a", "b", "c"])
        tested.report(path, data=frame)
        alone = tmp_path / "y.html"
        tested.report(alone, data=frame[["a", "b", "c"]])
        facts = [
            page.read_text(encoding="utf-8").split("<dt>tails</dt>")[1] for page in (path, alone)
        ]
        assert facts[0].split("</dd>")[0] == facts[1].split("</dd>")[0]

    def test_columns_of_other_names(self, frame, tmp_path, refuses):
        own = frame[["a", "b", "c"]]
        tested = ew.edge_test(own, feature_names=["u", "v", "w"])
        tested.report(tmp_path / "x.html", data=own)
        refuses(
            lambda: tested.report(tmp_path / "x.html", data=frame[["a", "b", "c", "d"]]),
            DataError,
            "3 columns that were tested",
            "got 4",
        )


def residuals(rows, pair):
    """Both columns of a pair given all the others, by least squares."""
    centred = rows - rows.mean(axis=0)
    others = np.delete(centred, pair, axis=1)
    own = centred[:, pair]
    return own - others @ np.linalg.lstsq(others, own, rcond=None)[0]


def test_of_all_rows_they_are_the_residuals(rows):
    result = ew.edge_test(rows)
    scores = sampled_scores(as_table(rows), result)
    assert scores.shape == rows.shape
    for i, j in ((0, 1), (0, 3), (2, 1)):
        rho = result.partial_correlation[i, j]
        ours = np.column_stack(
            [scores[:, i] + rho * scores[:, j], scores[:, j] + rho * scores[:, i]]
        )
        assert np.isclose(np.corrcoef(ours.T)[0, 1], rho)
        # The same points, in another order and scale.
        slow = residuals(rows, [i, j])
        for a, b in zip(ours.T, slow.T, strict=True):
            np.testing.assert_allclose(np.sort(a) / a.std(), np.sort(b) / b.std(), atol=1e-8)


def test_a_sample_is_random_and_the_same_again():
    rows = np.column_stack([np.arange(3000.0), np.random.default_rng(0).standard_normal((3000, 2))])
    result = ew.edge_test(rows)
    first, again = (sampled_scores(as_table(rows), result) for _ in range(2))
    assert first.shape == (500, 3)
    np.testing.assert_array_equal(first, again)
