"""--given and --pairs: the same pairs as in Python; a bad file is one sentence with its line."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew

PAIRS = [("a", "b"), ("d", "b")]


@pytest.fixture
def pairs_file(tmp_path):
    def write(text, name="pairs.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def found(run_main, *arguments):
    out, _ = run_main("test", *arguments, "--json", "-")
    return ew.EdgeTestResult.from_json(out)


def test_given(run_main, csv_file, rows):
    result = found(run_main, csv_file, "--given", "a, d")
    expected = ew.edge_test(rows, feature_names=list("abcd"), given=["a", "d"])
    assert result.given == ("a", "d")
    np.testing.assert_allclose(result.adjusted_pvalue, expected.adjusted_pvalue, rtol=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nd,b\n",
        "source,target\na,b\nd,b\n",
        '\ufeffFrom,To\r\na, b\r\n\r\n "d" ,b',
        '# a remark\n# another\n"x","y"\n"a","b"\n"d","b"\n"b","a"\n',
        "source,target,reject\na,b,True\nd,b,False\n",
    ],
)
def test_pairs(run_main, csv_file, rows, pairs_file, text):
    result = found(run_main, csv_file, "--pairs", pairs_file(text))
    expected = ew.edge_test(rows, feature_names=list("abcd"), pairs=PAIRS)
    np.testing.assert_array_equal(result.tested, expected.tested)
    np.testing.assert_allclose(result.adjusted_pvalue, expected.adjusted_pvalue, rtol=1e-9)


def test_a_table_of_ours_can_be_given_back(run_main, csv_file, tmp_path):
    run_main("test", csv_file, "--given", "c", "--csv", tmp_path / "pilot.csv")
    result = found(run_main, csv_file, "--pairs", tmp_path / "pilot.csv")
    assert result.given == ("c",)


def test_names_that_were_made_safe_can_be_given_back(
    run_main, rows, tmp_path, write_csv, pairs_file
):
    """An apostrophe keeps a spreadsheet from running the name as a formula."""
    names = ["=1+2", "'=1+2", " @x", ""]
    data, table = write_csv(tmp_path / "rows.csv", names, rows), tmp_path / "pilot.csv"
    run_main("test", data, "--csv", table)
    text = table.read_text(encoding="utf-8")
    assert "'=1+2′," in text
    assert "\n=" not in text
    assert found(run_main, data, "--pairs", table).n_pairs == 6
    # Written by hand: the names as they are, or as a spreadsheet needs them.
    for line in ('=1+2," @x"', ' =1+2 , " @x"', '\'=1+2′," @x"'):
        result = found(run_main, data, "--pairs", pairs_file(f"{line}\n"))
        assert np.argwhere(result.tested).tolist() == [[0, 2], [2, 0]]
    result = found(run_main, data, "--pairs", pairs_file("'=1+2,\n"))
    assert np.argwhere(result.tested).tolist() == [[1, 3], [3, 1]]


def test_a_comparison_can_be_given_back(run_main, rows, tmp_path, write_csv):
    labelled = np.column_stack([rows, np.arange(len(rows)) % 3])
    data = write_csv(tmp_path / "rows.csv", "abcdg", labelled)
    run_main("diff", data, "--by", "g", "--csv", tmp_path / "pilot.csv")
    assert found(run_main, data, "--exclude", "g", "--pairs", tmp_path / "pilot.csv").n_pairs == 6


def test_columns_without_a_name(run_main, rows, tmp_path):
    """As the index that pandas and R write."""
    from pyarrow import parquet, table

    data = tmp_path / "rows.parquet"
    parquet.write_table(table(list(rows.T), names=["", "b", " c", "d"]), data)
    assert found(run_main, data, "--exclude", "").feature_names == ("b", " c", "d")
    assert found(run_main, data, "--columns", "", "--columns", "d").feature_names == ("", "d")
    assert found(run_main, data, "--given", "").given == ("",)
    assert found(run_main, data, "--columns", '"", " c",b,').feature_names == (" c", "b")
    out, _ = run_main("pair", data, "", " c", "--given", "d")
    assert "The partial correlation of  and  c" in out


def test_columns_that_are_called_like_a_heading(run_main, rows, tmp_path, write_csv, pairs_file):
    data = write_csv(tmp_path / "ends.csv", ["source", "target", "x", "y"], rows)
    result = found(run_main, data, "--pairs", pairs_file("source,target\nx,y\n"))
    assert result.n_pairs == 2


def test_shown_where_it_is_read(run_edgewise, csv_file, tmp_path):
    done = run_edgewise("test", csv_file, "--given", "d", "--method", "batch")
    assert done.stdout.startswith("2 of 3 possible edges among 3 variables, adjusted for d, from")
    assert "for all tested pairs at once" in done.stdout
    page = tmp_path / "page.html"
    done = run_edgewise("report", csv_file, "--given", "d", "--no-compare", "-o", page)
    assert "adjusted for d, from 400 rows" in done.stdout
    assert "Adjusted for, but not tested: d." in page.read_text(encoding="utf-8")


def test_a_state(run_main, csv_file, tmp_path, rows):
    state = tmp_path / "rows.state"
    run_main("accumulate", csv_file, "-o", state, "--kind", "batches")
    result = found(run_main, state, "--given", "a")
    expected = ew.edge_test(rows, method="batch", given=["x0"])
    np.testing.assert_allclose(result.adjusted_pvalue, expected.adjusted_pvalue, rtol=1e-9)
    _, told = run_main("test", state, "--given", "aa", status=1)
    assert "given: the table has no column 'aa' (did you mean 'a'?" in told


def test_plan_and_compare(run_main, csv_file, rows, table_of, pairs_file):
    out, _ = run_main("plan", csv_file, "--effect", "0.2", "--given", "a")
    assert "3 pairs corrected for" in out
    expected = ew.plan_sample_size(rows, effect=0.2, given="x0")
    assert table_of(out)["score"][2] == f"{expected.n_samples:,}"
    pairs = pairs_file("a,b\n")
    out, _ = run_main("compare", csv_file, "--null", "--shuffles", "3", "--pairs", pairs)
    assert "3 shuffles of 400 rows" in out


BAD = {
    "one name": ("a,b\nc\n", "line 2 of 'pairs.csv': expected two names with a comma", "got 'c'"),
    "three names": ("a,b,c\n", "line 1", "expected two names", "got 'a, b, c'"),
    "an empty name": ("a,b\nc,\n", "line 2", "expected two names"),
    "semicolons": ("a;b\n", "line 1", "with a comma between them, got 'a;b'"),
    "unknown": ("x,y\na,bb\n", "line 2", "no column 'bb' (did you mean 'b'?); it has 'a', 'b'"),
    "twice the same": ("# why\na,b\n\nc,c\n", "line 4", "two different columns, got 'c' twice"),
    "given": ("a,d\n", "pairs: ('a', 'd') has the column 'd', which is in given"),
    "empty": ("", "expected two names on each line of 'pairs.csv', got no line"),
    "a heading only": ("source,target\n", "got no line"),
    "not text": (b"a,\xff\xfe\n", "'pairs.csv' cannot be read: it is not UTF-8 text"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_one_sentence(run_main, csv_file, pairs_file, what):
    text, *fragments = BAD[what]
    pairs_file(text)
    # What the data cannot answer is status 1, what contradicts itself is wrong usage.
    status = 2 if what == "given" else 1
    out, told = run_main("test", csv_file, "--pairs", "pairs.csv", "--given", "d", status=status)
    assert out == ""
    (line,) = told.splitlines()
    for fragment in fragments:
        assert fragment in line


def test_other_mistakes(run_main, csv_file, pairs_file, tmp_path):
    _, told = run_main("test", csv_file, "--pairs", "nowhere.csv", status=1)
    assert "pairs: 'nowhere.csv' cannot be read: No such file" in told
    _, told = run_main("test", csv_file, "--given", "a", "--exclude", "a", status=2)
    assert "given: 'a' is also in exclude" in told
    _, told = run_main("test", csv_file, "--given", "a", "--columns", "b,c", status=2)
    assert "given: 'a' is not in columns" in told
    _, told = run_main("test", csv_file, "--given", "a,b,c", status=1)
    assert "at least 2 columns that are not given" in told
    path = pairs_file("a,b\n")
    _, told = run_main("test", csv_file, "--pairs", path, "--csv", path, status=1)
    assert "pairs.csv" in told
    assert path.read_text() == "a,b\n"
