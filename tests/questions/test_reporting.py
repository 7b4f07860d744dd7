"""Writing reports: whatever the data are, wherever it goes, whole or not at all."""

from __future__ import annotations

import json
import os
import re
from html import unescape

import numpy as np
import pytest

import edgewise as ew
from edgewise.questions.compare_methods import all_variants, compare_methods
from edgewise.questions.diagnose import diagnose
from edgewise.questions.reporting import report_of, write_report
from edgewise.rows.opening import open_table


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


def heading(path):
    return re.search(r"<h1>(.*?)</h1>", path.read_text(encoding="utf-8"))[1]


def payload(path):
    """What the script of a page works with."""
    text = path.read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    return json.loads(text)


class TestData:
    @pytest.fixture(params=["array", "list", "pandas", "polars", "arrow", "path", "text", "source"])
    def data(self, request, rows, csv_file, require):
        columns = dict(zip("abcd", rows.T, strict=True))
        return {
            "array": lambda: rows,
            "list": lambda: rows.tolist(),
            "pandas": lambda: require("pandas").DataFrame(columns),
            "polars": lambda: require("polars").DataFrame(columns),
            "arrow": lambda: require("pyarrow").table(columns),
            "path": lambda: csv_file,
            "text": lambda: [str(csv_file)],
            "source": lambda: open_table(csv_file),
        }[request.param]()

    def test_rows_of_any_kind_make_a_ladder(self, result, data, path):
        result.report(path, data=data)
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
            monkeypatch.setattr("edgewise.questions.reporting._SOON_COMPARED", numbers)
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

    @pytest.mark.parametrize("kind", ["path", "sequence"])
    def test_a_state_of_any_kind(self, rows, path, tmp_path, kind):
        """What `edge_test` takes, `report` takes."""
        data = tmp_path / "rows.ews"
        ew.accumulate(rows, n_batches=20).save(data)
        if kind == "sequence":
            data = ew.ConfidenceSequence()
            data.update(rows)
        method = "sequential" if kind == "sequence" else "batch"
        ew.edge_test(data, method=method).report(path, data=data)
        assert ladder(path) == {}

    def test_a_stream_is_refused(self, result, rows, path, refuses):
        for stream in (iter([rows]), (rows[k : k + 100] for k in range(0, 400, 100))):
            refuses(
                lambda stream=stream: result.report(path, data=stream),
                ew.DataError,
                "data: expected rows that can be read again, got a stream",
                "leave data out",
            )
        assert not path.exists()

    def test_missing_values_are_left_out_as_in_the_test(self, rows, path):
        X = rows.copy()
        X[[3, 7], [0, 1]] = np.nan
        result = ew.edge_test(X, drop_missing=True)
        result.report(path, data=X)
        assert facts(path)["missing values and weights"] == (
            "2 rows with missing values were left out; left out because of one column alone: "
            "x0 (1), x1 (1)."
        )
        assert ladder(path)["score"][2] == str(result.n_edges)

    @pytest.mark.parametrize("wrong", [3, object(), "no/such.csv", [[1, "a"], [2, "b"]]])
    def test_what_is_no_data_is_refused(self, result, path, wrong, refuses):
        refuses(lambda: result.report(path, data=wrong), ew.EdgewiseError)
        assert not path.exists()


class TestText:
    def test_the_ladder_is_that_of_compare(self, rows, result, path):
        result.report(path, data=rows)
        found = ladder(path)
        for line in compare_methods(open_table(rows), 0.05, "holm"):
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

    def test_a_method_that_fails_says_why(self, path):
        """Six rows of five columns are enough for some methods, and too few for Fisher's z."""
        X = np.random.default_rng(0).standard_normal((6, 5))
        ew.edge_test(X, method="fisher").report(path, data=X)
        found = ladder(path)
        assert found["elliptical"][1:] == ("–", "–")
        note = re.search(
            r"No result of ([^<]*): [^<]*expected more than 6 rows", path.read_text("utf-8")
        )
        assert "elliptical" in note[1]
        assert found["fisher"][2] == "0"

    @pytest.mark.parametrize(
        ("options", "correction"),
        [
            ({"correction": "bh"}, "bh"),
            ({"correction": None}, None),
            ({"method": "whitened"}, "holm"),
        ],
    )
    def test_the_ladder_has_the_levels_of_the_result(self, rows, path, options, correction):
        ew.edge_test(rows, alpha=0.2, **options).report(path, data=rows)
        for line in compare_methods(open_table(rows), 0.2, correction):
            assert ladder(path)[line.label][2] == str(line.result.n_edges)

    def test_titles(self, result, rows, path):
        result.report(path)
        assert heading(path) == "4 variables, 400 rows"
        ew.edge_test(np.tile(rows, (3, 1)) + rows.mean()).report(path)
        assert heading(path) == "4 variables, 1,200 rows"
        result.report(path, title="A & <b>")
        assert heading(path) == "A &amp; &lt;b&gt;"

    def test_the_command(self, result, path):
        write_report(result, path, command="edgewise test 'a b.csv'")
        text = path.read_text(encoding="utf-8")
        assert "<pre>edgewise test &#39;a b.csv&#39;</pre>" in text
        write_report(result, path)
        assert "<pre>edgewise.edge_test(data, method=" in path.read_text(encoding="utf-8")

    def test_dependent_rows_are_a_caution_for_all_but_batch(self, path):
        theta = ew.simulate.make_chain_precision(3)
        X = ew.simulate.sample("ar1", theta, 4000, rng=0)
        for method, cautioned in (("score", True), ("batch", False)):
            ew.edge_test(X, method=method).report(path, data=X)
            text = path.read_text(encoding="utf-8")
            assert ("this method assumes independent rows" in text) == cautioned
            assert facts(path)["dependence between rows"].startswith("seen (")

    def test_heavy_tails_are_a_caution_for_fisher(self, rows, path):
        X = np.random.default_rng(3).standard_t(5, (4000, 3))
        for method, cautioned in (("fisher", True), ("score", False)):
            ew.edge_test(X, method=method).report(path, data=X)
            text = path.read_text(encoding="utf-8")
            assert ("and this method assumes Gaussian rows" in text) == cautioned
            assert facts(path)["dependence between rows"].startswith("not seen (")

    def test_what_is_known_need_not_be_found_again(self, rows, result, path, monkeypatch):
        source = open_table(rows)
        lines, diagnosis = compare_methods(source, 0.05, "holm"), diagnose(source)
        result.report(path, data=rows, rows=False)
        whole = path.read_bytes()
        monkeypatch.setattr("edgewise.questions.reporting.compare_methods", None)
        monkeypatch.setattr("edgewise.questions.reporting.diagnose", None)
        report_of(result, path, lines=lines, diagnosis=diagnosis)
        assert path.read_bytes() == whole


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


class TestFitting:
    """Where the data break the condition of the test, the page has the edges of one that fits."""

    @pytest.fixture
    def dependent(self):
        noise = np.random.default_rng(0).standard_normal((2000, 3))
        for k in range(1, len(noise)):
            noise[k] += 0.7 * noise[k - 1]
        return noise

    @pytest.mark.parametrize("compare", [None, False])
    def test_dependent_rows(self, dependent, path, compare):
        ew.edge_test(dependent).report(path, data=dependent, compare=compare)
        asked, fits = payload(path)["tests"]
        assert (asked["method"], fits["method"]) == ("score", "batch")
        assert asked["broken"]
        assert not fits["broken"]
        batch = ew.edge_test(dependent, method="batch")
        assert f"Method “batch” allows for this and finds {batch.n_edges} edge" in path.read_text(
            "utf-8"
        )

    def test_of_the_method_itself(self, dependent, path):
        ew.edge_test(dependent, method="batch").report(path, data=dependent, compare=False)
        assert len(payload(path)["tests"]) == 1


class TestFile:
    def test_the_same_result_is_the_same_file(self, rows, result, path, tmp_path):
        other = tmp_path / "other.html"
        result.report(path, data=rows)
        result.report(str(other), data=rows)
        assert path.read_bytes() == other.read_bytes()
        assert path.read_bytes().startswith(b"<!doctype html>")
        assert path.read_bytes().endswith(b"</html>")

    def test_places_that_cannot_be_written(self, result, tmp_path, refuses):
        nowhere = tmp_path / "nowhere" / "report.html"
        refuses(lambda: result.report(nowhere), ew.DataError, "cannot write", str(nowhere))
        refuses(lambda: result.report(tmp_path), ew.DataError, "name of a file", str(tmp_path))
        long = tmp_path / ("x" * 300 + ".html")
        refuses(lambda: result.report(long), ew.DataError, "cannot write")
        assert os.listdir(tmp_path) == []

    def test_they_are_refused_before_the_work(self, rows, result, tmp_path, monkeypatch):
        monkeypatch.setattr("edgewise.questions.reporting.compare_methods", None)
        with pytest.raises(ew.DataError, match="there is no folder"):
            result.report(tmp_path / "nowhere" / "report.html", data=rows)

    @pytest.mark.parametrize(
        ("inner", "error"),
        [
            ("pathlib.Path.write_text", OSError(28, "No space left on device")),
            ("edgewise.questions.reporting.report_html", RuntimeError("a bug")),
            ("edgewise.questions.reporting.compare_methods", KeyboardInterrupt()),
        ],
    )
    def test_a_failure_keeps_the_old_file(self, rows, result, path, monkeypatch, inner, error):
        path.write_bytes(b"old")

        def fail(*arguments, **options):
            raise error

        monkeypatch.setattr(inner, fail)
        wanted = ew.DataError if isinstance(error, OSError) else type(error)
        with pytest.raises(wanted):
            result.report(path, data=rows)
        assert path.read_bytes() == b"old"
        assert os.listdir(path.parent) == [path.name]

    def test_a_link_is_written_through(self, result, path, tmp_path):
        target = tmp_path / "real.html"
        target.write_text("old")
        path.symlink_to(target)
        result.report(path)
        assert path.is_symlink()
        assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


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
            ew.DataError,
            "3 columns that were tested",
            "got 4",
        )


def test_the_report_of_a_sequence(rows, tmp_path):
    path = tmp_path / "x.html"
    ew.ConfidenceSequence(tuned_for=400).update(rows).result().report(path, data=rows)
    page = path.read_text(encoding="utf-8")
    call = (
        "edge_test(data, method='sequential', alpha=0.05, correction='bonferroni', tuned_for=400)"
    )
    assert call in unescape(page)
    assert "all looks at a stream" in page


def test_cautions_about_tails_and_few_rows(tmp_path):
    rng = np.random.default_rng(0)
    far = rng.standard_normal((5000, 4)) / np.sqrt(rng.chisquare(1.5, (5000, 1)))
    few = rng.standard_normal((19, 4))
    for data, words in ((far, "very far out"), (few, "19 rows are few for 4 columns")):
        path = tmp_path / "x.html"
        ew.edge_test(data).report(path, data=data, compare=False)
        assert words in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("family", [{"given": ["a"]}, {"pairs": [("a", "b"), ("b", "d")]}])
def test_every_method_tests_the_same_pairs(rows, path, family):
    """Also where the columns were renamed for the test."""
    result = ew.edge_test(rows, feature_names=list("abcd"), **family)
    result.report(path, data=rows)
    for method in ("score", "batch", "fisher", "entrywise"):
        expected = ew.edge_test(rows, feature_names=list("abcd"), method=method, **family)
        assert ladder(path)[method][-1] == str(expected.n_edges)
    assert facts(path)["pairs tested"].startswith(str(result.n_pairs))
    assert facts(path)["adjusted for"] == ", ".join(result.given)
    assert heading(path) == f"{len(result.tested_columns())} variables, 400 rows"
