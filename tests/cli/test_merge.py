"""`edgewise merge`: states of several machines become one."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import edgewise as ew

NAMES = ("a", "b", "c", "d")
PARTS = (slice(0, 150), slice(150, 270), slice(270, 400))


@pytest.fixture(scope="module")
def states(tmp_path_factory, rows):
    """Three parts of the rows as states, the columns of the second the other way round."""
    folder = tmp_path_factory.mktemp("merge")
    for number, part in enumerate(PARTS):
        step = -1 if number == 1 else 1
        for kind in (ew.Moments, ew.BatchMoments, ew.ConfidenceSequence):
            state = kind() if kind is ew.ConfidenceSequence else kind(feature_names=NAMES[::step])
            X = rows[part] if kind is ew.ConfidenceSequence else rows[part, ::step]
            state.update(X).save(folder / f"{kind.__name__}{number}.ews")
    return folder


def paths(states, kind):
    return [states / f"{kind}{number}.ews" for number in range(len(PARTS))]


@pytest.mark.exactness
@pytest.mark.parametrize("kind", ["Moments", "BatchMoments", "ConfidenceSequence"])
def test_is_the_sum_in_the_order_given(tmp_path, run_edgewise, states, kind):
    output = tmp_path / "all.ews"
    done = run_edgewise("merge", *paths(states, kind), "-o", output)
    assert done.stdout == f"400 rows of 3 states are in {output}\n"
    assert done.stderr == ""
    a, b, c = (ew.load_state(path) for path in paths(states, kind))
    (a + b + c).save(tmp_path / "expected.ews")
    # To the last bit: two processes do the same, on the same CPU with the same BLAS.
    assert output.read_bytes() == (tmp_path / "expected.ews").read_bytes()


def test_equal_shards_of_concordance(tmp_path, run_edgewise, rows):
    """Latent variances are all one, and say nothing about whether rows are the same."""
    for name, part in (("a", rows[:200]), ("b", rows[200:]), ("twin", rows[:200, ::-1])):
        ew.ConcordanceMoments().update(part).save(tmp_path / f"{name}.ews")
    shards = [tmp_path / "a.ews", tmp_path / "b.ews"]
    run_edgewise("merge", *shards, "-o", tmp_path / "all.ews")
    done = run_edgewise("test", tmp_path / "all.ews", "--json", "-")
    assert json.loads(done.stdout)["n_samples"] == 400
    again = run_edgewise(
        "merge", shards[0], tmp_path / "twin.ews", "-o", tmp_path / "x.ews", status=1
    )
    assert "holds the same rows" in again.stderr


def test_then_test_is_testing_all_rows(tmp_path, run_edgewise, states, rows):
    output = tmp_path / "all.ews"
    run_edgewise("merge", *paths(states, "Moments"), "-o", output)
    document = json.loads(run_edgewise("test", output, "--method", "fisher", "--json", "-").stdout)
    expected = ew.edge_test(rows, method="fisher", feature_names=NAMES)
    assert document["feature_names"] == list(NAMES)
    assert document["n_samples"] == 400
    assert document["reject"] == expected.reject.tolist()
    np.testing.assert_allclose(
        document["partial_correlation"], expected.partial_correlation, rtol=1e-11, atol=1e-13
    )


def test_with_the_same_batches_is_testing_all_rows(tmp_path, run_edgewise, rows, write_csv):
    """Halves of a whole number of batches each: merged, they are the batches of all rows."""
    for name, part in (("0", rows[:200]), ("1", rows[200:]), ("all", rows)):
        data = write_csv(tmp_path / f"{name}.csv", NAMES, part)
        ew.accumulate(data, n_batches=25).save(tmp_path / f"{name}.ews")
    halves = [tmp_path / "0.ews", tmp_path / "1.ews"]
    run_edgewise("merge", *halves, "-o", tmp_path / "merged.ews")
    merged, whole = (ew.load_state(tmp_path / name) for name in ("merged.ews", "all.ews"))
    assert merged.batch_counts().tolist() == whole.batch_counts().tolist()
    found, expected = (
        json.loads(run_edgewise("test", tmp_path / name, "--json", "-").stdout)
        for name in ("merged.ews", "all.ews")
    )
    assert found["method"] == expected["method"] == "batch"
    assert found["reject"] == expected["reject"]
    for field in ("partial_correlation", "statistic", "adjusted_pvalue"):
        np.testing.assert_allclose(
            np.array(found[field], float), np.array(expected[field], float), rtol=1e-9, atol=1e-12
        )


def test_of_one_state_is_a_copy(tmp_path, run_edgewise, states):
    (first, *_) = paths(states, "BatchMoments")
    done = run_edgewise("merge", first, "-o", tmp_path / "x.ews")
    assert "150 rows of 1 state" in done.stdout
    assert (tmp_path / "x.ews").read_bytes() == first.read_bytes()


def test_the_output_may_be_one_of_the_states(tmp_path, run_edgewise, states):
    first, second, _ = paths(states, "Moments")
    total = tmp_path / "total.ews"
    total.write_bytes(first.read_bytes())
    run_edgewise("merge", total, second, "-o", total)
    assert ew.load_state(total).n_samples == 270
    assert os.listdir(tmp_path) == ["total.ews"]


def test_into_standard_output(tmp_path, run_edgewise, states):
    with (tmp_path / "piped.ews").open("wb") as file:
        done = run_edgewise("merge", *paths(states, "Moments"), "-o", "-", stdout=file)
    assert done.stderr == "edgewise: 400 rows of 3 states are in standard output\n"
    assert ew.load_state(tmp_path / "piped.ews").n_samples == 400


def test_those_at_once_all_count(tmp_path, run_edgewise, states):
    """Each reads the total and replaces it; none may read it while another does."""
    first, second, _ = paths(states, "Moments")
    total = tmp_path / "total.ews"
    total.write_bytes(first.read_bytes())
    with ThreadPoolExecutor() as pool:
        many = [
            pool.submit(run_edgewise, "merge", total, second, "-o", total, status=None)
            for _ in range(6)
        ]
    done = sum(one.result().returncode == 0 for one in many)
    assert ew.load_state(total).n_samples == 150 + 120 * done
    assert done == 6
    assert os.listdir(tmp_path) == ["total.ews"]


class TestRefusals:
    @pytest.fixture
    def refused(self, tmp_path, run_edgewise):
        def check(*given, status=1, output=None):
            output = output or tmp_path / "x.ews"
            done = run_edgewise("merge", *given, "-o", output, status=status)
            assert not output.exists()
            assert done.stdout == ""
            (line,) = done.stderr.splitlines()
            assert line.startswith("edgewise: ")
            return line

        return check

    def test_kinds_do_not_mix(self, refused, states):
        first = paths(states, "Moments")[0]
        for kind in ("BatchMoments", "ConfidenceSequence"):
            other = paths(states, kind)[1]
            line = refused(first, other)
            assert f"'{other}' holds {kind}, '{first}' Moments" in line
            assert "only states of one kind" in line

    @pytest.mark.parametrize("kind", [ew.Moments, ew.BatchMoments])
    def test_other_columns_are_listed(self, tmp_path, refused, states, rows, kind):
        other = tmp_path / "other.ews"
        kind(feature_names=("a", "b", "c", "e")).update(rows).save(other)
        line = refused(paths(states, kind.__name__)[0], other)
        for fragment in (f"'{other}'", "it lacks 'd'", "it also has 'e'"):
            assert fragment in line

    @pytest.mark.parametrize("kind", ["Moments", "BatchMoments", "ConfidenceSequence"])
    def test_the_same_rows_twice(self, tmp_path, refused, states, kind):
        first, second, _ = paths(states, kind)
        link, copy = tmp_path / "link.ews", tmp_path / "copy.ews"
        link.symlink_to(first)
        ew.load_state(first).save(copy)
        for again in (first, link, copy):
            line = refused(first, second, again)
            assert f"'{again}' holds the same rows as '{first}'" in line
            assert "name each state once" in line

    def test_other_options(self, tmp_path, refused, states, rows):
        first, other = tmp_path / "first.ews", tmp_path / "other.ews"
        ew.BatchMoments(9).update(2 * rows).save(first)
        ew.BatchMoments(7).update(rows).save(other)
        assert "9 batches, got one of 7" in refused(first, other)
        ew.Moments(order=2).update(rows).save(other)
        assert "order 4, got order 2" in refused(paths(states, "Moments")[0], other)

    def test_what_is_no_state(self, tmp_path, refused, states, csv_file):
        first = paths(states, "Moments")[0]
        assert f"'{csv_file}' is not one that edgewise wrote" in refused(first, csv_file)
        missing = tmp_path / "none.ews"
        assert f"'{missing}' cannot be read" in refused(first, missing)
        damaged = tmp_path / "damaged.ews"
        damaged.write_bytes(first.read_bytes()[:-1] + b"?")
        assert f"'{damaged}' is damaged" in refused(damaged, first)

    def test_a_missing_folder(self, tmp_path, refused, states):
        output = tmp_path / "nowhere" / "x.ews"
        line = refused(*paths(states, "Moments"), output=output)
        assert f"there is no folder '{output.parent}'" in line

    def test_nothing_to_merge(self, run_edgewise):
        assert "STATE..." in run_edgewise("merge", "-o", "x.ews", status=2).stderr


def test_the_same_rows_in_another_order_of_columns(run_main, tmp_path, rows, write_csv):
    data = write_csv(tmp_path / "rows.csv", "abcd", rows)
    run_main("accumulate", data, "-o", tmp_path / "x.ews")
    run_main("accumulate", data, "--columns", "d,c,b,a", "-o", tmp_path / "y.ews")
    both = ("merge", tmp_path / "x.ews", tmp_path / "y.ews", "-o", tmp_path / "z.ews")
    _, told = run_main(*both, status=1)
    assert "y.ews' holds the same rows as" in told


def test_states_with_and_without_names(run_main, tmp_path, rows, write_csv):
    np.save(tmp_path / "later.npy", -2 * rows)
    run_main("accumulate", write_csv(tmp_path / "a.csv", "abcd", rows), "-o", tmp_path / "x.ews")
    run_main("accumulate", tmp_path / "later.npy", "-o", tmp_path / "y.ews")
    states = tmp_path / "x.ews", tmp_path / "y.ews"
    _, told = run_main("merge", *states, "-o", tmp_path / "z.ews")
    assert "are matched by place" in told
