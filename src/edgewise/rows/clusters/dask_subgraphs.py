"""Making a partition inside the task that uses it, so that its rows never move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any


class _OwnSubgraph:
    """The tasks that make one partition from some inputs; a call with the inputs makes it.

    Not a dataclass: Dask would look into one for tasks that it should run itself.
    """

    def __init__(
        self, tasks: Mapping[Hashable, Any], key: Hashable, inputs: Sequence[Hashable]
    ) -> None:
        self.tasks, self._key, self._inputs = tasks, key, inputs

    def __call__(self, *values: Any) -> Any:
        from dask._task_spec import DataNode
        from dask.local import get_sync

        given = {key: DataNode(key, value) for key, value in zip(self._inputs, values, strict=True)}
        # Without the callbacks of a progress bar, which counts the tasks of the whole graph.
        return get_sync({**self.tasks, **given}, self._key, callbacks=())


def own_subgraphs(parts: Sequence[Any]) -> list[tuple[Any, ...]]:
    """For each `Delayed`, a function and its arguments if no other shares its tasks; else itself.

    A task that reads rows and a task that adds them up may run on different workers: Dask then
    moves the rows. If both are one task, the rows stay, and a failure belongs to this partition.
    Values that several partitions need (such as an array that all of them slice) and futures,
    which the cluster already holds, are inputs. Tasks that several partitions share (a shuffle)
    would run once for each partition, so such graphs are left to Dask as they are.
    """
    from dask.delayed import Delayed
    from dask.optimization import cull

    whole = _whole_graph(parts)
    if any(_annotated(part) for part in parts) or not is_complete(parts):
        return [(part,) for part in parts]
    culled = [cull(whole, [part.key])[0] for part in parts]
    uses = Counter(key for tasks in culled for key in tasks)
    outside = {key for key, count in uses.items() if count > 1 or _is_held(whole[key])}
    if not all(_is_held(whole[key]) or _is_data(whole[key]) for key in outside):
        return [(part,) for part in parts]
    made: list[tuple[Any, ...]] = []
    for part, tasks in zip(parts, culled, strict=True):
        inputs = sorted(outside & set(tasks), key=str)
        own = {key: task for key, task in tasks.items() if key not in outside}
        if part.key in own:
            given = [Delayed(key, {key: whole[key]}) for key in inputs]
            made.append((_OwnSubgraph(own, part.key, inputs), *given))
        else:
            made.append((part,))
    return made


def is_complete(parts: Sequence[Any]) -> bool:
    """Whether the graph has everything that its tasks need.

    Dask leaves out the nodes of futures, because the cluster has them; then nothing keeps them
    alive.
    """
    whole = _whole_graph(parts)
    needed = {key for task in whole.values() for key in getattr(task, "dependencies", ())}
    return all(key in whole for key in needed.union(part.key for part in parts))


def _whole_graph(parts: Sequence[Any]) -> dict[Hashable, Any]:
    from dask.utils import ensure_dict

    whole: dict[Hashable, Any] = {}
    for graph in {id(part.dask): part.dask for part in parts}.values():
        whole.update(ensure_dict(graph))
    return whole


def _annotated(part: Any) -> bool:
    """Whether the user has said where or how its tasks must run."""
    layers = getattr(part.dask, "layers", {})
    return any(layer.annotations for layer in layers.values())


def _is_data(task: Any) -> bool:
    """Whether a node of a graph only holds a value."""
    from dask._task_spec import DataNode

    return isinstance(task, DataNode)


def _is_held(task: Any) -> bool:
    """Whether a node of a graph is, or holds, a future: rows that are on the cluster already."""
    value = getattr(task, "value", task)
    found = [value, *getattr(task, "args", ())]
    return any(type(one).__module__.startswith("distributed") for one in found)
