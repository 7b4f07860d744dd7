"""Many draws: the same whoever makes them, kept as they are made, and never made twice."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from edgewise.studies.draws import SECONDS, make_draws
from edgewise.studies.lemma1 import LemmaStudy
from edgewise.studies.study import Cell, generator

# The second cell's last unit is a single draw: nine draws in five files.
CELLS = [Cell({"size": 3}, 6, together=2), Cell({"size": 5}, 3, together=2)]


@dataclass(frozen=True)
class Counting:
    """Remembers every draw that it made; can be broken off."""

    name: str = "counting"
    revision: int = 1
    made: list[int] = field(default_factory=list)
    breaks_at: int | None = None

    def measure(self, parameters, rng):
        if len(self.made) == self.breaks_at:
            raise RuntimeError("the light went out")
        self.made.append(parameters["size"])
        return {"values": rng.standard_normal(parameters["size"])}


def draw(study, folder, *, cells=CELLS, seed=1, **options):
    return make_draws(study, cells, folder, seed=seed, **options)[0]


def assert_identical(found, expected):
    """To the last bit, but for the time it took: the same operations in the same order."""
    for (_, ours), (_, theirs) in zip(found, expected, strict=True):
        assert ours.keys() == theirs.keys()
        for name in ours.keys() - {SECONDS}:
            np.testing.assert_array_equal(ours[name], theirs[name], strict=True)


def test_each_draw_has_its_own_generator(tmp_path):
    told = []
    for cell, measured in draw(Counting(), tmp_path / "a" / "b", tell=told.append):
        for k, values in enumerate(measured["values"]):
            rng = generator(1, cell.key("counting"), k)
            np.testing.assert_array_equal(values, rng.standard_normal(cell.parameters["size"]))
    assert (sum(told), len(told)) == (9, 5)


@pytest.mark.exactness
def test_the_number_and_kind_of_workers_changes_nothing(tmp_path, client):
    cells = [Cell({"distribution": "laplace", "p": p, "n": 300}, 5, together=2) for p in (2, 4)]
    expected = draw(LemmaStudy(), tmp_path / "here", cells=cells)
    for name, workers in (("two", {"n_jobs": 2}), ("cluster", {"client": client})):
        assert_identical(draw(LemmaStudy(), tmp_path / name, cells=cells, **workers), expected)


def test_another_seed_or_study_has_other_numbers(tmp_path):
    """In the same folder: their draws must not be taken for each other's."""
    first = draw(Counting(), tmp_path)
    for other in (draw(Counting(), tmp_path, seed=2), draw(Counting("another"), tmp_path)):
        for (_, ours), (_, theirs) in zip(first, other, strict=True):
            assert not np.isclose(ours["values"], theirs["values"]).any()


@pytest.mark.exactness
def test_a_run_broken_off_keeps_what_was_finished(tmp_path):
    expected = draw(Counting(), tmp_path / "whole")
    with pytest.raises(RuntimeError, match="the light went out") as caught:
        draw(Counting(breaks_at=5), tmp_path / "draws")
    assert caught.value.__notes__ == ["in draw 5 of counting, size = 3, seed 1"]
    # Two units of two draws; the fifth draw is lost with the sixth, nothing is half-written.
    kept = [path.name[-15:-4] for path in sorted((tmp_path / "draws").iterdir())]
    assert kept == ["00000-00002", "00002-00004"]
    study = Counting()
    assert_identical(draw(study, tmp_path / "draws"), expected)
    assert len(study.made) == 9 - 4
    # More draws begin with those made.
    ((_, more),) = draw(study, tmp_path / "draws", cells=[Cell({"size": 3}, 10, together=2)])
    assert len(study.made) == 9
    np.testing.assert_array_equal(more["values"][:6], expected[0][1]["values"])


class Trap:
    """Leaves a trace where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def save_trap(path, trace):
    with path.open("wb") as file:
        np.savez(file, values=np.array([Trap(trace)], dtype=object))


DAMAGE = {
    "truncated": lambda path, trace: path.write_bytes(path.read_bytes()[:200]),
    "a pickle": lambda path, trace: path.write_bytes(pickle.dumps(Trap(trace))),
    "objects": save_trap,
    "missing": lambda path, trace: path.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_read_is_made_again(tmp_path, damage):
    folder, trace = tmp_path / "draws", tmp_path / "trace"
    study = Counting()
    first = draw(study, folder)
    path = next(folder.glob("*-00002-00004.npz"))
    DAMAGE[damage](path, trace)
    study.made.clear()
    assert_identical(draw(study, folder), first)
    assert not trace.exists(), "a file of draws was unpickled"
    assert study.made == [3, 3]
