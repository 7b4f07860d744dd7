"""Who makes the draws: processes on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any, Protocol, TypeVar

from edgewise._base.blas import one_blas_thread
from edgewise._base.parts import part
from edgewise.errors import EdgewiseError, ParameterError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: Units that wait for each thread of a cluster: enough that a thread never has to wait, and few
#: enough that the scheduler does not hold thousands of them.
_AHEAD = 4
_NEED = "A simulation study"


class Unit(Protocol[T_co]):
    """Some draws, which a call makes; `str` says which they are."""

    def __call__(self) -> T_co: ...


def check_workers(n_jobs: int | None, client: Any, *, default: int = -1) -> int:
    """How many processes to use on this machine: none if a cluster, which is checked, is given."""
    if client is None:
        return _process_count(default if n_jobs is None else n_jobs)
    if n_jobs is not None:
        raise ParameterError(
            f"n_jobs: expected None together with client, whose cluster has its own workers, got "
            f"{n_jobs!r}; give only one of the two."
        )
    from edgewise.rows.clusters.dask import check_client

    check_client(client)
    return 0


def make_units(units: Sequence[Unit[T]], n_jobs: int, client: Any) -> Generator[tuple[int, T]]:
    """The number of each unit and what it made, in the order in which they finish."""
    return _in_processes(units, n_jobs) if client is None else _on_cluster(units, client)


def _process_count(n_jobs: int) -> int:
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or (n_jobs < 1 and n_jobs != -1):
        raise ParameterError(
            f"n_jobs: expected a number of processes from 1 on, or -1 for one per core, got "
            f"{n_jobs!r}."
        )
    if n_jobs == -1:
        return int(part("joblib", "sklearn", _NEED).cpu_count())
    return int(n_jobs)


def _in_processes(units: Sequence[Unit[T]], n_jobs: int) -> Generator[tuple[int, T]]:
    part("joblib", "sklearn", _NEED)
    from joblib import Parallel, delayed

    work = Parallel(n_jobs=n_jobs, backend="loky", return_as="generator_unordered", batch_size=1)
    yield from work(delayed(_numbered)(number, unit) for number, unit in enumerate(units))


def _numbered(number: int, unit: Unit[T]) -> tuple[int, T]:
    return number, make_unit(unit)


def make_unit(unit: Unit[T]) -> T:
    """What every worker does, here or on a cluster. Dask shows the name of this function."""
    # The number of threads changes the order in which sums are added, and so their last bits.
    with one_blas_thread():
        return unit()


def _on_cluster(units: Sequence[Unit[T]], client: Any) -> Generator[tuple[int, T]]:
    from distributed import as_completed

    waiting = deque(range(len(units)))
    sent: dict[Any, int] = {}
    finished = as_completed(loop=client.loop)
    try:
        while waiting or sent:
            room = _AHEAD * _thread_count(client) - len(sent) if waiting else 0
            for _ in range(min(room, len(waiting))):
                number = waiting.popleft()
                # Not pure: Dask must not hand out the result of an earlier run.
                future = client.submit(make_unit, units[number], pure=False)
                sent[future] = number
                finished.add(future)
            future = next(finished)
            number = sent.pop(future)
            try:
                made = _result(future, units[number])
            finally:
                # Release it at once: the cluster need not keep what we already have.
                future.release()
            yield number, made
    finally:
        if sent:
            with suppress(Exception):  # a cluster that is gone has nothing to cancel
                client.cancel(list(sent))


def _thread_count(client: Any) -> int:
    """How many threads there are now; workers come and go, so it counts at least one to come."""
    try:
        return max(1, int(sum(client.nthreads().values())))
    except Exception as error:  # Dask raises many kinds, even AttributeError
        raise EdgewiseError(
            "client: the cluster was lost before all draws were made; check that it is running, "
            "and try again."
        ) from error


def _result(future: Any, unit: Unit[T]) -> T:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        made: T = future.result()
    except KilledWorker as error:
        raise EdgewiseError(
            f"client: the workers that made {unit} died, several times over; give them more "
            "memory, or read their logs."
        ) from error
    except CancelledError as error:
        raise EdgewiseError(
            f"client: the cluster was lost, or cancelled the work, before it made {unit}; check "
            "that it is running, and try again."
        ) from error
    except Exception as error:
        if not getattr(error, "__notes__", None):  # lost, as for errors that cannot be pickled
            error.add_note(f"in {unit}")
        raise
    return made
