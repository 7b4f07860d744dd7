"""The benchmark of single questions: everyone gets the same ones, each of them once."""

import pytest
from benchmarks import conditional


def test_questions_differ():
    asked = list(conditional._questions(60, 6, 3))
    assert len({(frozenset(q[:2]), frozenset(q[2])) for q in asked}) == 60
    assert all(len({x, y, *given}) == 5 for x, y, given in asked)


def test_every_line_is_measured(require):
    require("causallearn")
    found = conditional.measure((200, 400), questions=2, columns=8).lines
    assert len(found) == 2 * 3 + 2 * 2
    assert all(line.value > 0 for line in found)
    assert found[0].name == "causal-learn fisherz, 200 rows"
    assert list(found[0].beside) == [f"{k} given" for k in range(5)]
    assert {line.name for line in found[6:]} == {
        f"{kept}, {n} rows" for kept in ("rows kept", "moments kept") for n in (200, 400)
    }


def test_without_the_peer(monkeypatch):
    asked = conditional._asked
    without = lambda X: {k: v for k, v in asked(X).items() if k != conditional.FISHER}  # noqa: E731
    monkeypatch.setattr(conditional, "_asked", without)
    found = conditional.measure((200,), questions=2, columns=8).lines
    assert [line.value for line in found[2:]] == [None, None]
    assert found[2].beside["note"] == "causal-learn is not installed"


@pytest.mark.parametrize("n", conditional.TARGETS)
def test_targets_are_for_measured_rows(n):
    assert n in conditional.ROWS
