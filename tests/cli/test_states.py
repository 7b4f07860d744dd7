"""`edgewise accumulate`, `merge` and `test STATE`; `test_program.py` interrupts them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import edgewise as ew

NAMES = ("a", "b", "c", "d")
KINDS = {
    "moments": (lambda: ew.states.Moments(feature_names=NAMES), "trace"),
    "batches": (lambda: ew.states.BatchMoments(10, feature_names=NAMES), "batch"),
    "sequence": (lambda: ew.ConfidenceSequence(n_batches=10), "sequential"),
}


@pytest.fixture
def saved(tmp_path, rows):
    """A state of every kind of the first rows, of the others, and of all."""
    for name, (make, _) in KINDS.items():
        for number, part in (("1", rows[:150]), ("2", rows[150:]), ("", rows)):
            make().update(part).save(tmp_path / f"{name}{number}.ews")
    return tmp_path


@pytest.mark.parametrize("kind", ["batches", "moments", "products", "concordance"])
def test_a_state_is_that_of_the_library(run_main, csv_file, tmp_path, kind):
    number = () if kind in ("moments", "products") else ("--n-batches", "50")
    out, err = run_main("accumulate", csv_file, "-o", "x.ews", "--kind", kind, *number)
    assert out == "400 rows of 4 columns are in x.ews\n"
    assert err == ""
    n_batches = None if kind in ("moments", "products") else 50
    order = "all" if kind == "products" else 4
    expected = ew.accumulate(
        csv_file, order=order, n_batches=n_batches, concordance=kind == "concordance"
    )
    expected.save(tmp_path / "y.ews")
    assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()


def test_options_of_accumulate(run_main, csv_file, tmp_path, rows, write_csv):
    other = write_csv(tmp_path / "other.csv", "abcd", -rows)
    run_main(
        *("accumulate", csv_file, other, "-o", "x.ews", "--n-batches", "7"),
        *("--exclude", "b", "--checkpoint-every", "9"),
    )
    state = ew.load_state(tmp_path / "x.ews")
    assert (state.n_samples, state.n_batches) == (800, 7)
    assert state.feature_names == ("a", "c", "d")
    assert not (tmp_path / "x.ews.checkpoint").exists()


def test_standard_streams(run_main, csv_file, tmp_path):
    run_main("accumulate", csv_file, "-o", "x.ews")
    _, err = run_main("accumulate", "-", "-o", "y.ews", input=csv_file.read_bytes())
    assert err == ""
    assert (tmp_path / "x.ews").read_bytes() == (tmp_path / "y.ews").read_bytes()


def test_what_cannot_be_accumulated(run_main, refused, csv_file, tmp_path):
    (tmp_path / "none.csv").write_text("a,b\n")
    run_main("accumulate", csv_file, "-o", "rows.ews")
    for arguments, status, fragment in (
        (["none.csv", "-o", "x"], 1, "expected rows, got none"),
        (["rows.csv", "-o", "nowhere/x"], 1, "there is no folder '"),
        (["rows.ews", "-o", "x"], 1, "expected rows, got the state file 'rows.ews'"),
        (["-", "-o", "x", "--resume"], 1, "data: expected files with --checkpoint-every"),
        (["rows.csv", "-o", "-", "--resume"], 2, "keep a file beside the output; name a file"),
        (["rows.csv"], 2, "'--output'"),
        (["rows.csv", "-o", "x", "--kind", "sequence"], 2, "--kind: expected one of 'batches'"),
        (["rows.csv", "-o", "x", "--n-batches", "1"], 2, "--n-batches: expected a whole number"),
        (["rows.csv", "-o", "x", "--checkpoint-every", "-1"], 2, "expected a number above 0"),
        (["rows.csv", "-o", "x", "--weights", "a", "--kind", "moments"], 2, "leave out --kind"),
    ):
        text = csv_file.read_bytes() if arguments[0] == "-" else None
        assert fragment in refused("accumulate", *arguments, status=status, input=text)


@pytest.mark.exactness
def test_the_sum_in_the_order_given(run_main, saved):
    for kind in KINDS:
        both = [f"{kind}1.ews", f"{kind}2.ews"]
        out, err = run_main("merge", *both, "-o", "all.ews")
        assert out == "400 rows of 2 states are in all.ews\n"
        assert err == ""
        a, b = (ew.load_state(saved / name) for name in both)
        (a + b).save(saved / "expected.ews")
        # To the last bit: two processes do the same, on the same CPU with the same BLAS.
        assert (saved / "all.ews").read_bytes() == (saved / "expected.ews").read_bytes()
        # The output may be one of the states.
        run_main("merge", *both, "-o", both[0])
        assert (saved / both[0]).read_bytes() == (saved / "expected.ews").read_bytes()


def test_those_at_once_all_count(run_program, saved):
    """Each reads the total and replaces it; none may read it while another does."""
    with ThreadPoolExecutor() as pool:
        both = ("moments.ews", "moments1.ews")
        for _ in range(3):
            pool.submit(run_program, "merge", *both, "-o", "moments.ews", cwd=saved)
    assert ew.load_state(saved / "moments.ews").n_samples == 400 + 3 * 150


def test_what_cannot_be_merged(refused, saved, rows, csv_file):
    ew.states.Moments(feature_names=("a", "b", "c", "e")).update(rows).save(saved / "other.ews")
    ew.states.BatchMoments(7).update(rows).save(saved / "seven.ews")
    (saved / "link.ews").symlink_to(saved / "moments1.ews")
    (saved / "copy.ews").write_bytes((saved / "moments1.ews").read_bytes())
    damaged = bytearray((saved / "moments1.ews").read_bytes())
    damaged[len(damaged) // 2] ^= 255
    (saved / "damaged.ews").write_bytes(damaged)
    for second, *fragments in (
        ("batches.ews", "'batches.ews' holds BatchMoments, 'moments1.ews' Moments"),
        ("other.ews", "'other.ews'", "it lacks 'd'", "it also has 'e'"),
        ("moments1.ews", "'moments1.ews' holds the same rows as 'moments1.ews'"),
        ("link.ews", "'link.ews' holds the same rows", "name each state once"),
        ("copy.ews", "'copy.ews' holds the same rows"),
        ("rows.csv", "'rows.csv' is not one that edgewise wrote"),
        ("none.ews", "'none.ews' cannot be read"),
        ("damaged.ews", "damaged"),
    ):
        line = refused("merge", "moments1.ews", second, "-o", "x.ews", status=1)
        for fragment in fragments:
            assert fragment in line
    assert "batches" in refused("merge", "batches.ews", "seven.ews", "-o", "x", status=1)
    assert "no folder" in refused("merge", "moments.ews", "-o", "nowhere/x", status=1)
    assert "STATE..." in refused("merge", "-o", "x.ews")


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("moments", ["--method", "trace", "--mu", "0.5"], {"mu": 0.5}),
        ("moments", ["--method", "fisher", "--alpha", "0.2"], {"method": "fisher", "alpha": 0.2}),
        ("batches", ["--correction", "maxt"], {"method": "auto", "correction": "maxt"}),
        ("batches", ["--given", "a"], {"method": "auto", "given": "a"}),
        ("sequence", ["--alpha", "0.2"], {"alpha": 0.2}),
    ],
)
def test_a_state_is_tested_as_in_python(run_main, saved, name, arguments, options):
    out, _ = run_main("test", f"{name}.ews", "--json", "-", *arguments)
    state = ew.load_state(saved / f"{name}.ews")
    expected = ew.edge_test(state, **{"method": KINDS[name][1], **options})
    # To the last bit: two processes do the same, on the same CPU with the same BLAS.
    assert json.loads(out) == json.loads(expected.to_json())


def test_states_that_cannot_be_tested(refused, saved):
    ew.states.Moments().save(saved / "empty.ews")
    (saved / "cut.ews").write_bytes((saved / "moments.ews").read_bytes()[:-5])
    for option in (["--columns", "a,b"], ["--clusters", "a"], ["--transform", "normal-scores"]):
        assert "a state has no rows left" in refused("test", "moments.ews", *option)
    for name, method, status in (
        ("moments", "score", 1),
        ("batches", "trace", 1),
        ("sequence", "batch", 2),
    ):
        assert refused("test", f"{name}.ews", "--method", method, status=status)
    several = refused("test", "moments1.ews", "moments2.ews", status=1)
    assert "takes a single state, `edgewise merge` several" in several
    assert "given: the table has no column 'aa' (did you mean 'a'?" in refused(
        "test", "moments.ews", "--given", "aa", status=1
    )
    assert "damaged" in refused("test", "cut.ews", status=1)
    assert refused("test", "empty.ews", status=1)
    for command in (["compare"], ["plan"], ["pair"]):
        columns = ["a", "b"] if command == ["pair"] else []
        line = refused(*command, "moments.ews", *columns, status=1)
        assert "expected rows, got the state file 'moments.ews'" in line
