"""`partial_test` and `ConditionalTest`: the answers of `edge_test`, question by question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.api import pair as conditional
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.methods import score as score_module

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.BrokenAssumptionWarning")

P = 7
DRAWS = {
    "gaussian": lambda n, rng: rng.standard_normal((n, P)),
    "t5": lambda n, rng: rng.standard_normal((n, P)) / np.sqrt(rng.chisquare(5, (n, 1)) / 5),
    "counts": lambda n, rng: rng.poisson(0.4, (n, P)) + rng.poisson(0.3, (n, 1)),
}


def rows_of(law, n, seed=0):
    rng = np.random.default_rng(seed)
    X = DRAWS[law](n, rng).astype(float)
    X[:, 1:] += 0.4 * X[:, :-1]
    return 3.0 * X + rng.standard_normal(P)


def asked_in_full(X, columns):
    """What `edge_test` says about the pair of the first two."""
    return ew.edge_test(X, columns=[f"x{k}" for k in columns], correction=None)


def same_answer(answer, result, rtol=1e-12):
    assert answer.n_samples == result.n_samples
    expected = result.partial_correlation[0, 1], result.statistic[0, 1]
    # Estimates near zero have rounding errors of their own, relative to one.
    np.testing.assert_allclose(
        (answer.partial_correlation, answer.statistic), expected, rtol=rtol, atol=rtol
    )
    log_p = result.log_pvalue[0, 1]
    np.testing.assert_allclose(answer.log_pvalue, log_p, rtol=rtol, atol=rtol)
    # Of p = e^{−300}, an error of 1e-14 in the exponent is one of 3e-12.
    np.testing.assert_allclose(answer.pvalue, result.pvalue[0, 1], rtol=rtol * max(1, -log_p))
    low, high = result.confidence_interval(0.95, "partial_correlation")
    interval = low[0, 1], high[0, 1]
    np.testing.assert_allclose(answer.confidence_interval(), interval, rtol=rtol, atol=rtol)


def tolerance(X, columns):
    """1e-12, unless the question itself loses digits: Σ̂ is summed in another order."""
    inverse = np.linalg.inv(np.corrcoef(X[:, columns], rowvar=False))
    return max(1e-12, 1e-14 * inverse.diagonal().max())


questions = st.permutations(range(P)).flatmap(
    lambda order: st.integers(0, P - 2).map(lambda given: list(order[: given + 2]))
)


@given(
    law=st.sampled_from(list(DRAWS)),
    more=st.sampled_from([3, 4, 5, 8, 20, 100, 520]),
    columns=questions,
    seed=st.integers(0, 1000),
)
@settings(max_examples=60)
def test_the_same_as_edge_test(law, more, columns, seed):
    """From as few rows as there may be."""
    X = rows_of(law, len(columns) - 2 + more, seed)
    x, y, *others = columns
    try:
        expected = asked_in_full(X, columns)
    except DataError as error:  # counts of few rows: constant or equal columns
        with pytest.raises(DataError, match=str(error)[:10]):
            ew.ConditionalTest(X)(x, y, others)
        return
    same_answer(ew.ConditionalTest(X)(x, y, others), expected, tolerance(X, columns))
    same_answer(ew.partial_test(X, x, y, given=others), expected)


@pytest.mark.parametrize("law", DRAWS)
def test_the_same_by_products_where_leverages_are_high(law, monkeypatch):
    for module in (conditional, score_module):
        monkeypatch.setattr(module, "few_rows", lambda n, p: False)
    X = rows_of(law, 300)
    X[:3] *= 8
    X[:, 1] += 40 * X[:, 0]  # a partial correlation close to one
    test = ew.ConditionalTest(X)
    for columns in ([0, 1], [0, 1, 2, 3], [1, 2, 0], [2, 6, 3, 4], [5, 3, 4, 2, 1, 0, 6]):
        same_answer(
            test(*columns[:2], columns[2:]), asked_in_full(X, columns), tolerance(X, columns)
        )


def test_every_way_to_name_the_columns_is_the_same_question():
    test = ew.ConditionalTest(rows_of("t5", 200))
    answer = test("x3", "x1", given=["x5", "x0"])
    assert (answer.x, answer.y, answer.given) == ("x3", "x1", ("x0", "x5"))
    for same in ([0, 5], (5, 0, 5), {"x0", 5}, iter(["x5", "x0"]), np.array([5, 0])):
        assert test(3, np.int64(1), given=same) == answer
    turned = test("x1", "x3", given=["x0", "x5"])
    assert (turned.x, turned.y) == ("x1", "x3")
    assert (turned.statistic, turned.log_pvalue) == (answer.statistic, answer.log_pvalue)
    assert test(0, 1, "x2") == test(0, 1, 2) == test(0, 1, [2]) != test(0, 1, [])
    assert test(0, 1) == test(0, 1, "all") == test(0, 1, range(2, P))


def test_several_threads_ask_at_once():
    test = ew.ConditionalTest(rows_of("gaussian", 2000))
    asked = [(x, y, [z]) for x, y, z in permutations(range(P), 3)]
    with ThreadPoolExecutor(4) as pool:
        answers = [*pool.map(lambda question: test(*question), asked)]
    assert answers == [test(*question) for question in asked]


def test_only_the_columns_of_the_question_are_read(tmp_path, rows, write_csv):
    X = np.column_stack([np.full(400, "text", dtype=object), rows.astype(object)])
    X[5, 4] = ""
    path = write_csv(tmp_path / "mixed.csv", ["day", "a", "b", "c", "d"], X)
    same_answer(ew.partial_test(path, "a", "b", given=["c"]), asked_in_full(rows, [0, 1, 2]))
    chosen = ew.ConditionalTest(path, exclude=["day", "d"])
    assert chosen.feature_names == ("a", "b", "c")
    with pytest.raises(NonFiniteError, match="'d'"):
        ew.partial_test(path, "a", "d", given=[], missing="raise")
    dropped = ew.partial_test(path, "a", "d", given=[], missing="drop")
    assert (dropped.n_samples, dropped.n_dropped) == (399, 1)
    kept_rows = ew.ConditionalTest(path, exclude="day", missing="drop")
    answer = kept_rows("a", "b")
    assert (kept_rows.n_dropped, answer.n_samples, answer.n_dropped) == (1, 399, 1)


@pytest.fixture(scope="module")
def asks(rows):
    """Every way to ask."""
    return (
        ew.ConditionalTest(rows),
        lambda x, y, given="all": ew.partial_test(rows, x, y, given=given),
    )


class TestBadInput:
    @pytest.mark.parametrize(
        ("question", "error", "fragments"),
        [
            (("x0", "x0"), ParameterError, ["y: ", "another column than x", "'x0'"]),
            (("x0", 0), ParameterError, ["y: ", "'x0'"]),
            (("x0", "x1", ["x2", "x0"]), ParameterError, ["given: ", "'x0'", "which is x"]),
            ((0, 1, [1]), ParameterError, ["given: ", "'x1'", "which is y"]),
            ((0, 1, "x1"), ParameterError, ["given: ", "which is y"]),
            (("x0", "x11"), DataError, ["y", "no column 'x11'", "did you mean 'x1'?", "'x3'"]),
            (("x0", "x1", ["zzzz"]), DataError, ["given", "no column 'zzzz'", "'x0', 'x1'"]),
            ((0, 4), ParameterError, ["y: ", "an index from 0 to 3", "got 4"]),
            ((-1, 2), ParameterError, ["x: ", "an index from 0 to 3", "got -1"]),
            ((0, 1, [7]), ParameterError, ["given: ", "got 7"]),
            ((0, True), ParameterError, ["y: ", "got True"]),
            ((1.0, 2), ParameterError, ["x: ", "got 1.0"]),
            ((0, 1, [2.0]), ParameterError, ["given: ", "got 2.0"]),
            ((0, 1, 2.0), ParameterError, ["given: ", "got 2.0"]),
            ((0, 1, None), ParameterError, ["given: expected 'all'", "got None", "[] for none"]),
            ((0, 1, [None]), ParameterError, ["given: ", "got None"]),
            ((None, 1), ParameterError, ["x: ", "got None"]),
        ],
        ids=lambda value: str(value) if isinstance(value, tuple) else "",
    )
    def test_questions(self, asks, refuses, question, error, fragments):
        for ask in asks:
            refuses(lambda ask=ask: ask(*question), error, *fragments)

    @pytest.mark.parametrize("n", [3, 4])
    def test_too_few_rows(self, rows, refuses, n):
        for ask in (
            ew.ConditionalTest(rows[:n]),
            lambda x, y, given: ew.partial_test(rows[:n], x, y, given=given),
        ):
            refuses(
                lambda ask=ask: ask(0, 1, [2, 3]), DataError, "more rows than columns", f"{n} rows"
            )
        assert ew.ConditionalTest(rows[:n])(0, 1, []).n_samples == n

    def test_singular_columns_are_named_when_they_are_asked_about(self, rows, refuses):
        X = np.column_stack([rows, np.full(400, 7.0), 2 - 3 * rows[:, 1], rows[:, 0] + rows[:, 2]])
        test = ew.ConditionalTest(X)
        assert test(0, 1, [2, 3]).n_samples == 400
        for question, fragments in [
            ((0, 1, [4]), ["constant column 'x4'", "every value is 7"]),
            ((4, 1, []), ["constant column 'x4'"]),
            ((1, 5, []), ["'x5' duplicates column 'x1'"]),
            ((0, 3, [1, 5]), ["'x5' duplicates column 'x1'"]),
            ((0, 3, [1, 2, 6]), ["'x6' is a linear combination", "'x0'", "'x2'"]),
        ]:
            message = str(refuses(lambda q=question: test(*q), DataError, *fragments))
            x, y, given = question
            whole = refuses(
                lambda x=x, y=y, g=given: ew.partial_test(X, x, y, given=g), DataError, *fragments
            )
            assert message == str(whole)

    def test_data_and_options(self, rows, refuses, tmp_path):
        holes = rows.copy()
        holes[3, 1] = np.nan
        refuses(lambda: ew.ConditionalTest(holes), NonFiniteError, "'x1' (1)")
        refuses(lambda: ew.partial_test(holes, 0, 1, missing="raise"), NonFiniteError, "'x1' (1)")
        assert ew.partial_test(holes, 0, 2, given=[3]).n_samples == 400
        state = ew.accumulate(rows)
        refuses(lambda: ew.ConditionalTest(state), DataError, "state")
        refuses(lambda: ew.partial_test(state, 0, 1), DataError, "state")
        refuses(
            lambda: ew.partial_test(rows, 0, 1, method="trace"),
            *(ParameterError, "method", "'trace'", "'score'"),
        )
        missing = tmp_path / "none.csv"
        refuses(lambda: ew.partial_test(missing, "a", "b"), DataError, "none.csv")


class TestGroups:
    def test_it_is_edge_test_of_these_columns(self):
        rng = np.random.default_rng(1)
        subject = np.arange(300) % 50
        X = rng.standard_normal((300, 4)) + rng.standard_normal((50, 4))[subject]
        whole = ew.edge_test(X, columns=["x0", "x2", "x3"], clusters=subject)
        for x, y, other in (("x0", "x2", "x3"), (0, 2, 3)):
            answer = ew.partial_test(X, x, y, given=[other], clusters=subject)
            assert answer.log_pvalue == pytest.approx(whole.log_pvalue[0, 1], rel=1e-12)
        assert "n = 300 rows in 50 clusters" in answer.sentence()
