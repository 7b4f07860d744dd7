"""The gate: what counts as slower, what is measured again, and against whom."""

import pytest
from benchmarks import check
from benchmarks.check import Check, Costs, compare
from benchmarks.worker import Ask, Call


def lines(*names):
    return [Check(name, Ask((Call("X.T @ X"), Call("score")))) for name in names]


class Script:
    """Costs by the number of the measurement, and what was asked for."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, of, count):
        self.asked.append(([line.name for line in of], count))
        found = self.answers.pop(0)
        return {line.name: found[line.name] for line in of}


def test_a_line_that_stays_slower_fails():
    script = Script(
        {"a": Costs([1.0, 1.1], [1.3]), "b": Costs([1.0], [1.1])}, {"a": Costs([1.05], [1.25])}
    )
    slow, fine = compare(lines("a", "b"), script, min)
    assert (slow.old, slow.new, slow.slower) == (1.0, 1.25, True)
    assert not fine.slower
    assert script.asked == [(["a", "b"], check.FIRST_ROUNDS), (["a"], check.MORE_ROUNDS)]


def test_a_line_that_was_disturbed_passes_at_the_second_look():
    script = Script({"a": Costs([1.0], [1.3])}, {"a": Costs([1.0], [1.02])})
    (verdict,) = compare(lines("a"), script, min)
    assert verdict.times == pytest.approx(1.02)
    assert not verdict.slower
