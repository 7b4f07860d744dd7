"""What it costs not to be told how files are made.

Each ratio is taken within one repetition: Arrow gets the names and types of the
columns, which edgewise finds out from the first lines of each file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.report import Line, Measurements
from benchmarks.timing import Spread

#: A line of 14 numbers takes about 140 bytes, so this is about 100 MB.
ROWS, COLUMNS = 700_000, 14
FILES, FILE_ROWS, FILE_COLUMNS = 2_000, 20, 5
REPETITIONS = 5


def measure(rows: int = ROWS, files: int = FILES, repetitions: int = REPETITIONS) -> Measurements:
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        large = _write(Path(folder) / "large.csv", 0, rows, COLUMNS)
        small = [
            _write(Path(folder) / f"{k:05}.csv", k, FILE_ROWS, FILE_COLUMNS) for k in range(files)
        ]
        _read(small[:1])  # loads what is loaded on first use
        lines = [*_large(large, repetitions), _small(small, repetitions)]
    return Measurements(lines)


def _large(path: str, repetitions: int) -> list[Line]:
    """One large file: all of it against Arrow, and the share of what comes before the rows."""
    ratios, shares = [], []
    for _ in range(repetitions):
        arrow = _seconds(lambda: _read_by_arrow([path], COLUMNS))
        opening = _seconds(lambda: _open([path]))
        whole = _seconds(lambda: _read([path]))
        ratios.append(whole / arrow)
        shares.append(100 * opening / whole)
    name = f"CSV of {Path(path).stat().st_size / 1e6:,.0f} MB"
    group = "Reading text, in units of Arrow's reader with given options"
    share = f"{name}, opening it, % of reading it"
    return [
        _line(group, f"{name}, open and read", Spread.of(ratios)),
        _line("Reading text, the share of finding out its form", share, Spread.of(shares)),
    ]


def _small(paths: Sequence[str], repetitions: int) -> Line:
    ratios, per_file = [], []
    for _ in range(repetitions):
        arrow = _seconds(lambda: _read_by_arrow(paths, FILE_COLUMNS))
        opening = _seconds(lambda: _open(paths))
        ratios.append(opening / arrow)
        per_file.append(1e3 * opening / len(paths))
    group = "Opening many small files, in units of Arrow's reading of them"
    name = f"{len(paths):,} CSV files of {FILE_ROWS} × {FILE_COLUMNS}"
    return _line(group, name, Spread.of(ratios), ms_each=Spread.of(per_file).median)


def _line(group: str, name: str, spread: Spread, ms_each: float | None = None) -> Line:
    beside: dict[str, float | str] = {} if ms_each is None else {"ms per file": ms_each}
    return Line(group, name, spread.median, low=spread.low, high=spread.high, beside=beside)


def _open(paths: Sequence[str]) -> object:
    from edgewise.tables.files import FileTable

    return FileTable(paths)


def _read(paths: Sequence[str]) -> None:
    from edgewise.tables.files import FileTable

    for _ in FileTable(paths).blocks():
        pass


def _read_by_arrow(paths: Sequence[str], columns: int) -> None:
    import pyarrow as pa
    from pyarrow import csv

    types = {name: pa.float64() for name in _names(columns)}
    convert = csv.ConvertOptions(column_types=types)
    for path in paths:
        with csv.open_csv(path, convert_options=convert) as reader:
            for _ in reader:
                pass


def _write(path: Path, seed: int, rows: int, columns: int) -> str:
    import pyarrow as pa
    from pyarrow import csv

    # Other rows in every file: the same ones twice would be refused.
    X = np.random.default_rng(seed).standard_normal((rows, columns)).round(7)
    csv.write_csv(pa.table(list(X.T), names=_names(columns)), path)
    return str(path)


def _names(columns: int) -> list[str]:
    return [f"c{k}" for k in range(columns)]


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start
