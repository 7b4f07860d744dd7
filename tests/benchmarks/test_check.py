"""The gate: what counts as slower, what is measured again, and against whom."""

import pytest
from benchmarks import check
from benchmarks.check import Check, Costs, Verdict, compare
from benchmarks.machine import git
from benchmarks.quiet import Noise
from benchmarks.report import Line, Section
from benchmarks.worker import Answer, Ask, Call, WorkerError


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


def test_what_the_old_code_cannot_do_is_not_judged():
    (verdict,) = compare(lines("a"), Script({"a": Costs([], [1.0], "no such option")}), min)
    assert (verdict.times, verdict.slower) == (None, False)
    assert "no such option" in check.table_text([verdict], "ms")


def test_the_table_says_from_what_to_what():
    text = check.table_text([Verdict("fine", 2.0, 2.1), Verdict("bad", 100.0, 130.0)], "ms")
    head, first, second = text.splitlines()
    assert head.split() == ["from", "to", "times", "(ms)"]
    assert first.split() == ["bad", "100", "130", "1.30", "slower"]
    assert second.split() == ["fine", "2", "2.1", "1.05"]


@pytest.fixture
def seconds(monkeypatch, tmp_path):
    """Old and new code as numbers; the order in which they were measured."""
    order = []

    def fixed(ask, source=None):
        order.append("new" if source is None else "old")
        if source is not None and ask.data == "missing":
            raise WorkerError("no missing values yet")
        value = 1.0 if source is None else 2.0
        return Answer((0.5, value), (0.5, value / 4), 0.0, 0.0, {}, "")

    monkeypatch.setattr(check, "answer", fixed)
    monkeypatch.setenv("ANYWAY", "1")
    return order


def test_old_and_new_take_turns(seconds, tmp_path):
    found = check.against_source(lines("a"), 2, source=tmp_path, noise=Noise())
    assert found == {"a": Costs([0.5, 0.5], [0.25, 0.25])}
    assert seconds == ["old", "new", "new", "old"]


def test_all_cores_are_judged_by_the_clock_on_the_wall(seconds, tmp_path):
    line = Check("a", Ask((Call("score"),), cores=None))
    found = check.against_source([line], 1, source=tmp_path, noise=Noise())
    assert found == {"a": Costs([2.0], [1.0])}


def test_old_code_that_fails_says_why(seconds, tmp_path):
    line = Check("a", Ask((Call("score"),), data="missing"))
    found = check.against_source([line], 1, source=tmp_path, noise=Noise())
    assert found == {"a": Costs([], [0.25], "no missing values yet")}


def table(cpu="this one", commit="unknown"):
    facts = {"CPU": cpu, "commit": commit}
    return Section("check", facts, [Line("group", "a", 1.9, low=1.8, high=2.2)])


def test_ratios_are_compared_with_the_table(seconds):
    found = check.against_table(lines("a", "b"), 1, table=table(), noise=Noise())
    assert found["a"].old == [1.9]
    assert found["a"].new == [2.0]
    assert found["b"].old == []


@pytest.fixture
def short(monkeypatch, seconds):
    """A gate of one line, without files, without waiting and without git."""
    monkeypatch.setattr(check, "refuse_if_busy", lambda first: "calm")
    monkeypatch.setattr(check, "write_files", lambda *_: {})
    monkeypatch.setattr(check, "checks", lambda files: lines("a"))
    monkeypatch.setattr(check, "cpu_model", lambda: "this one")
    monkeypatch.setattr(check, "git", lambda *_: None)
    return lambda kept: monkeypatch.setattr(check, "read", lambda: kept)


def test_without_git_the_table_decides(short, capsys, monkeypatch):
    short({"check": table()})
    assert check.main([]) == 0
    assert "git does not know the commit" in capsys.readouterr().out
    monkeypatch.setattr(check, "LIMIT", 1.01)
    assert check.main([]) == 1
    assert "1 of 1 lines are more than 1.01 times as slow" in capsys.readouterr().out


def test_the_table_of_another_cpu_decides_nothing(short, capsys):
    short({"check": table(cpu="another one")})
    assert check.main([]) == 2
    assert "not decided: the table was measured on another one" in capsys.readouterr().out


def test_nothing_to_compare_with(short, capsys):
    short({})
    assert check.main([]) == 2
    assert "give a commit" in capsys.readouterr().out


def test_git_knows_the_commit_of_the_table(short, capsys, monkeypatch, tmp_path):
    short({"check": table(cpu="another one", commit="abc with changes")})
    asked = []
    monkeypatch.setattr(check, "git", lambda *words: asked.append(words[-1]) or "abc")
    monkeypatch.setattr(check, "export", lambda revision, folder: tmp_path)
    assert check.main([]) == 0
    assert asked == ["abc^{commit}"]
    assert "measuring abc and this folder in turn" in capsys.readouterr().out


def test_a_base_that_nobody_knows(short):
    short({})
    with pytest.raises(SystemExit, match="expected a revision that git knows here, got 'nowhere'"):
        check.main(["nowhere"])


def test_the_code_of_a_commit(tmp_path):
    if git("rev-parse", "HEAD") is None:
        pytest.skip("not a git repository")
    assert (check.export("HEAD", tmp_path) / "edgewise" / "__init__.py").exists()


def test_the_set_is_fixed():
    files = {"parquet": ("a.parquet",), "csv": ("a.csv",)}
    names = [line.name for line in check.checks(files)]
    assert len(set(names)) == len(names) == 17
    assert {"score", "trace", "batch", "fisher", "wald", "eig"} == {n.split(",")[0] for n in names}
