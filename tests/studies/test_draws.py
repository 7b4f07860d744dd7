"""Many draws: the same whoever makes them, kept as they are made, and never made twice."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from edgewise.errors import EdgewiseError
from edgewise.studies.draws import SECONDS, make_draws
from edgewise.studies.lemma1 import LemmaStudy
from edgewise.studies.study import Cell, generator

CELLS = [Cell({"size": 3}, 6, together=2), Cell({"size": 5}, 3, together=2)]
DRAWS = 9
# The second cell's last unit is a single draw.
FILES = 5


@dataclass(frozen=True)
class Counting:
    """Remembers every draw that it made; can be broken off once."""

    name: str = "counting"
    revision: int = 1
    made: list[int] = field(default_factory=list)
    breaks_at: int | None = None
    marker: Path | None = None

    def measure(self, parameters, rng):
        if len(self.made) == self.breaks_at and not self.marker.exists():
            self.marker.touch()
            raise RuntimeError("the light went out")
        self.made.append(parameters["size"])
        values = rng.standard_normal(parameters["size"])
        return {"values": values, "mean": np.asarray(values.mean())}


def draw(study, folder, *, cells=CELLS, seed=1, **options):
    return make_draws(study, cells, folder, seed=seed, n_jobs=1, **options)[0]


def assert_identical(found, expected):
    """To the last bit, but for the time it took.

    Each draw is the same operations in the same order, whichever process makes it; all of these are
    on the same CPU, with one thread of the same BLAS.
    """
    assert [cell for cell, _ in found] == [cell for cell, _ in expected]
    for (_, ours), (_, theirs) in zip(found, expected, strict=True):
        assert ours.keys() == theirs.keys()
        for name in ours.keys() - {SECONDS}:
            np.testing.assert_array_equal(ours[name], theirs[name], strict=True)


class TestNumbers:
    def test_each_draw_has_its_own_generator(self, tmp_path):
        for cell, measured in draw(Counting(), tmp_path):
            size = cell.parameters["size"]
            assert measured["values"].shape == (cell.n_draws, size)
            assert measured["mean"].shape == measured[SECONDS].shape == (cell.n_draws,)
            for k, values in enumerate(measured["values"]):
                rng = generator(1, cell.key("counting"), k)
                np.testing.assert_array_equal(values, rng.standard_normal(size))

    def test_all_draws_are_different(self, tmp_path):
        values = [measured["values"].ravel() for _, measured in draw(Counting(), tmp_path)]
        assert np.unique(np.concatenate(values)).size == 6 * 3 + 3 * 5

    def test_the_number_of_workers_changes_nothing(self, tmp_path):
        study = LemmaStudy()
        cells = [
            Cell({"distribution": distribution, "p": p, "n": 300}, 5, together=2)
            for distribution in ("gaussian", "laplace")
            for p in (2, 4)
        ]
        one, two = (
            make_draws(study, cells, tmp_path / str(n_jobs), seed=3, n_jobs=n_jobs)[0]
            for n_jobs in (1, 2)
        )
        assert_identical(two, one)

    def test_how_many_are_made_at_a_time_changes_nothing(self, tmp_path):
        together = [Cell(cell.parameters, cell.n_draws, together=50) for cell in CELLS]
        expected = draw(Counting(), tmp_path / "a")
        found = draw(Counting(), tmp_path / "b", cells=together)
        for (_, ours), (_, theirs) in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours["values"], theirs["values"])

    @pytest.mark.parametrize("other", [{"seed": 2}, {"study": Counting("another")}])
    def test_another_seed_or_study_has_other_numbers(self, tmp_path, other):
        """In the same folder: their draws must not be taken for each other's."""
        options = {"study": Counting(), "seed": 1}
        first, second = (draw(folder=tmp_path, **(options | more)) for more in ({}, other))
        for (_, ours), (_, theirs) in zip(first, second, strict=True):
            assert not np.isclose(ours["values"], theirs["values"]).any()


class TestResuming:
    def test_nothing_is_made_twice(self, tmp_path):
        study = Counting()
        first = draw(study, tmp_path)
        assert len(study.made) == DRAWS
        assert len(list(tmp_path.iterdir())) == FILES
        again = draw(study, tmp_path)
        assert len(study.made) == DRAWS
        assert_identical(again, first)
        # Also the time is that of the draw, whenever it was.
        np.testing.assert_array_equal(again[0][1][SECONDS], first[0][1][SECONDS])

    @pytest.mark.exactness
    def test_what_was_removed_is_made_again(self, tmp_path):
        study = Counting()
        first = draw(study, tmp_path)
        removed = sorted(tmp_path.glob("*-00002-00004.npz"))
        others = {path: path.stat().st_mtime_ns for path in set(tmp_path.iterdir()) - {*removed}}
        removed[0].unlink()
        study.made.clear()
        assert_identical(draw(study, tmp_path), first)
        assert study.made == [3, 3]
        assert {path: path.stat().st_mtime_ns for path in others} == others

    def test_a_run_broken_off_keeps_what_was_finished(self, tmp_path):
        expected = draw(Counting(), tmp_path / "whole")
        study = Counting(breaks_at=5, marker=tmp_path / "broken")
        folder = tmp_path / "draws"
        with pytest.raises(RuntimeError, match="the light went out"):
            draw(study, folder)
        # Two units of two draws; the fifth draw is lost with the sixth, nothing is half-written.
        assert [path.name[-15:-4] for path in sorted(folder.iterdir())] == [
            "00000-00002",
            "00002-00004",
        ]
        study.made.clear()
        assert_identical(draw(study, folder), expected)
        assert len(study.made) == DRAWS - 4

    def test_more_draws_begin_with_those_made(self, tmp_path):
        study = Counting()
        (_, few), _ = draw(study, tmp_path)
        study.made.clear()
        ((_, more),) = draw(study, tmp_path, cells=[Cell({"size": 3}, 10, together=2)])
        assert study.made == [3] * 4
        np.testing.assert_array_equal(more["values"][:6], few["values"])

    def test_fewer_draws_are_the_first_of_them(self, tmp_path):
        study = Counting()
        (_, many), _ = draw(study, tmp_path)
        ((_, few),) = draw(study, tmp_path, cells=[Cell({"size": 3}, 4, together=2)])
        assert len(study.made) == DRAWS
        np.testing.assert_array_equal(few["values"], many["values"][:4])

    def test_tells_of_every_draw(self, tmp_path):
        """Those that are there already too: the bar must reach its end."""
        for removed in (0, 2, 0):
            for path in sorted(tmp_path.iterdir())[:removed]:
                path.unlink()
            told = []
            draw(Counting(), tmp_path, tell=told.append)
            assert sum(told) == DRAWS
            assert len(told) == FILES


class Trap:
    """Leaves a trace where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def save_array(path, trace):
    with path.open("wb") as file:
        np.save(file, np.arange(3.0))


def save_trap(path, trace):
    objects = np.array([Trap(trace)], dtype=object)
    np.savez(path, values=objects, mean=objects, seconds=objects)


def spoil_inside(path, trace):
    """The archive is whole, but the first array in it does not unpack."""
    content = bytearray(path.read_bytes())
    name, extra = struct.unpack("<HH", content[26:30])
    content[30 + name + extra] = 0xFF  # there is no such kind of block
    path.write_bytes(bytes(content))


DAMAGE = {
    "truncated": lambda path, trace: path.write_bytes(path.read_bytes()[:200]),
    "garbage": lambda path, trace: path.write_bytes(b"no archive at all" * 20),
    "a pickle": lambda path, trace: path.write_bytes(pickle.dumps(Trap(trace))),
    "objects": save_trap,
    "empty": lambda path, trace: path.write_bytes(b""),
    "damaged inside": spoil_inside,
    "a plain array": save_array,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_read_is_made_again(tmp_path, damage):
    folder, trace = tmp_path / "draws", tmp_path / "trace"
    study = Counting()
    first = draw(study, folder)
    path = sorted(folder.iterdir())[1]
    others = [other.stat().st_mtime_ns for other in sorted(folder.iterdir()) if other != path]
    DAMAGE[damage](path, trace)
    study.made.clear()
    assert_identical(draw(study, folder), first)
    assert not trace.exists(), "a file of draws was unpickled"
    assert 1 <= len(study.made) <= 2
    assert others == [
        other.stat().st_mtime_ns for other in sorted(folder.iterdir()) if other != path
    ]


def test_the_folder_is_made(tmp_path):
    draw(Counting(), tmp_path / "a" / "b")
    assert len(list((tmp_path / "a" / "b").iterdir())) == FILES


def test_one_blas_thread(tmp_path):
    """More would make the numbers those of the machine."""
    from threadpoolctl import threadpool_info

    class Threads(Counting):
        def measure(self, parameters, rng):
            pools = [pool["num_threads"] for pool in threadpool_info()]
            return {"threads": np.asarray(max(pools, default=1))}

    ((_, measured),) = draw(Threads(), tmp_path, cells=[Cell({}, 1)])
    assert measured["threads"].tolist() == [1]


LEMMA_CELLS = [
    Cell({"distribution": distribution, "p": p, "n": 300}, 5, together=2)
    for distribution in ("gaussian", "laplace")
    for p in (2, 4)
]


@dataclass(frozen=True)
class Scripted:
    """Does what the parameters of a cell say: sleeps, fails, dies; tells where it works."""

    name: str = "scripted"
    revision: int = 1

    def measure(self, parameters, rng):
        from threadpoolctl import threadpool_info

        value = rng.standard_normal()
        time.sleep(parameters.get("pause", 0.0) * rng.uniform())
        if "error" in parameters:
            raise {"zero": ZeroDivisionError, "proud": ProudError}[parameters["error"]]("no luck")
        if parameters.get("dies"):
            os._exit(1)
        # OpenMP, which scikit-learn may have brought in, counts for each thread by itself.
        pools = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
        threads = max((pool["num_threads"] for pool in pools), default=1)
        return {"value": np.asarray(value), "threads": np.asarray(threads)}


class ProudError(Exception):
    """Does not travel."""

    def __reduce__(self):
        raise TypeError("I stay where I am")


def test_failures_name_the_draw(tmp_path):
    cells = [Cell({"size": 2}, 3), Cell({"error": "zero"}, 3)]
    with pytest.raises(ZeroDivisionError) as caught:
        draw(Scripted(), tmp_path, cells=cells)
    assert caught.value.__notes__ == ["in draw 0 of scripted, error = 'zero', seed 1"]
    assert len(list(tmp_path.iterdir())) == 1


def wait_until(holds, seconds=10.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


class TestCluster:
    def test_it_changes_nothing(self, client, tmp_path):
        expected = draw(LemmaStudy(), tmp_path / "here", cells=LEMMA_CELLS)
        told = []
        found, kept = make_draws(
            LemmaStudy(), LEMMA_CELLS, tmp_path / "there", seed=1, client=client, tell=told.append
        )
        assert not kept
        assert_identical(found, expected)
        assert sum(told) == 20
        assert len(told) == 12

    def test_what_was_made_here_is_not_made_there(self, client, tmp_path):
        first = draw(LemmaStudy(), tmp_path, cells=LEMMA_CELLS)
        removed = sorted(tmp_path.iterdir())[2]
        removed.unlink()
        times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        found, kept = make_draws(LemmaStudy(), LEMMA_CELLS, tmp_path, seed=1, client=client)
        assert kept
        assert_identical(found, first)
        assert removed.exists()
        assert {path: path.stat().st_mtime_ns for path in times} == times

    def test_one_blas_thread_in_every_thread(self, client, tmp_path):
        """Also while a neighbour in the same process comes to its end."""
        from threadpoolctl import threadpool_info, threadpool_limits

        cells = [Cell({"pause": 0.02}, 24, together=1)]
        with threadpool_limits(limits=2):
            before = [pool["num_threads"] for pool in threadpool_info()]
            ((_, measured),), _ = make_draws(Scripted(), cells, tmp_path, seed=1, client=client)
            assert set(measured["threads"]) == {1}
            wait_until(lambda: [pool["num_threads"] for pool in threadpool_info()] == before)

    def test_a_scheduler_has_few_at_a_time(self, client, tmp_path):
        """And keeps nothing of what was fetched."""
        known, sizes = client.cluster.scheduler.tasks, []
        cells = [Cell({}, 48, together=1)]
        make_draws(
            Scripted(),
            cells,
            tmp_path,
            seed=1,
            client=client,
            tell=lambda draws: sizes.append(len(known)),
        )
        assert len(sizes) == 48
        # Four for each of four threads, and those that it has not yet heard are released.
        assert 4 < max(sizes) <= 32
        wait_until(lambda: not known)

    @pytest.mark.parametrize(
        ("error", "kind", "named"),
        [("zero", ZeroDivisionError, "in draw 4 of"), ("proud", Exception, "in draws 4 to 5 of")],
    )
    def test_failures_name_the_draws(self, client, tmp_path, error, kind, named):
        good = Cell({"size": 2}, 4, together=2)
        bad = Cell({"error": error, "sizes": list(range(1000))}, 6, together=2)
        draw(Scripted(), tmp_path, cells=[good])
        # The first four draws are there already, as if another run had been luckier.
        for start, stop in ((0, 2), (2, 4)):
            self.pretend(tmp_path, bad, start, stop)
        with pytest.raises(kind, match="no luck") as caught:
            make_draws(Scripted(), [good, bad], tmp_path, seed=1, client=client)
        (note,) = caught.value.__notes__
        assert note.startswith(f"{named} scripted, error = '{error}', sizes = [0, 1, 2, ")
        assert note.endswith(", seed 1")
        assert len(note) < 120

    @staticmethod
    def pretend(folder, cell, start, stop):
        from edgewise.studies.draws import _Unit

        with _Unit(Scripted(), cell, 1, start, stop).place(folder).open("wb") as file:
            np.savez(file, value=np.zeros(stop - start))

    def test_a_failure_ends_the_work(self, client, tmp_path):
        """What was finished is kept, what was not begun is not."""
        known = client.cluster.scheduler.tasks
        good, bad = Cell({"pause": 0.01}, 40, together=1), Cell({"error": "zero"}, 1)
        cells = [Cell({}, 5, together=1), bad, good]
        with pytest.raises(ZeroDivisionError):
            make_draws(Scripted(), cells, tmp_path, seed=1, client=client)
        assert len(list(tmp_path.iterdir())) < 30
        wait_until(lambda: not known)
        found, _ = make_draws(Scripted(), [good], tmp_path, seed=1, client=client)
        assert_identical(found, draw(Scripted(), tmp_path / "here", cells=[good]))

    def test_a_caller_that_gives_up_ends_the_work(self, client, tmp_path):
        def tell(draws):
            raise KeyboardInterrupt

        cells = [Cell({"pause": 0.02}, 100, together=1)]
        with pytest.raises(KeyboardInterrupt):
            make_draws(Scripted(), cells, tmp_path, seed=1, client=client, tell=tell)
        assert len(list(tmp_path.iterdir())) == 1
        wait_until(lambda: not client.cluster.scheduler.tasks)

    def test_a_cluster_that_is_lost(self, cluster_of, refuses, tmp_path):
        with cluster_of(n_workers=1, threads_per_worker=1) as cluster, cluster.get_client() as lost:
            error = refuses(
                lambda: make_draws(
                    Scripted(),
                    [Cell({}, 50, together=1)],
                    tmp_path,
                    seed=1,
                    client=lost,
                    tell=lambda draws: cluster.close(),
                ),
                EdgewiseError,
                "client: the cluster was lost",
                "try again.",
            )
        assert type(error) is EdgewiseError
        assert len(list(tmp_path.iterdir())) == 1

    def test_work_that_somebody_cancels(self, client, refuses, tmp_path):
        from distributed import Future

        def cancel(draws):
            client.cancel([Future(key, client) for key in list(client.futures)])

        refuses(
            lambda: make_draws(
                Scripted(),
                [Cell({"pause": 0.05}, 50, together=1)],
                tmp_path,
                seed=1,
                client=client,
                tell=cancel,
            ),
            EdgewiseError,
            "cancelled the work",
            "of scripted, pause = 0.05, seed 1",
        )


@pytest.fixture(scope="module")
def processes(cluster_of):
    """A client of two processes, which can be killed."""
    with (
        cluster_of(n_workers=2, threads_per_worker=1, processes=True) as cluster,
        cluster.get_client() as client,
    ):
        yield client


class TestProcesses:
    def test_a_killed_worker_changes_nothing(self, processes, tmp_path):
        cells = [Cell({"distribution": "laplace", "p": 4, "n": 20_000}, 12, together=1)]
        workers, killed = processes.run(os.getpid), []

        def kill_one(draws):
            if not killed:
                busy = [worker for worker, keys in processes.processing().items() if keys]
                killed.append(workers[busy[0]])
                os.kill(killed[0], signal.SIGKILL)

        found, _ = make_draws(
            LemmaStudy(), cells, tmp_path / "there", seed=1, client=processes, tell=kill_one
        )
        assert_identical(found, draw(LemmaStudy(), tmp_path / "here", cells=cells))
        assert killed[0] not in processes.run(os.getpid).values()

    def test_draws_that_kill_every_worker(self, processes, refuses, tmp_path, monkeypatch):
        # Four workers would die of it otherwise, and each takes its time to come back.
        monkeypatch.setattr(processes.cluster.scheduler, "allowed_failures", 0)
        refuses(
            lambda: make_draws(
                Scripted(), [Cell({"dies": True}, 2)], tmp_path, seed=1, client=processes
            ),
            EdgewiseError,
            "draws 0 to 1 of scripted, dies = True, seed 1",
            "more memory",
        )
