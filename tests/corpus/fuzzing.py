"""Damaged files, read in a process of their own: a crash, a hang or a traceback is found and named.

Run as ``python -m tests.corpus.fuzzing KIND FIRST STOP``: each number between is a seed, the file
that it makes of a whole one is read, and a line of JSON says what came of it.
"""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
#: Seconds for one file; what takes longer is stopped and told.
LIMIT = 5
# What the process may hold beyond what it has before the first file.
_MOST_MEMORY = 3 << 30
_BITS_OF_TEXT = [*(bytes([one]) for one in b',;\n\r"\t \0\xff#e.-'), b"NA"]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """A file with one to four places changed, cut out, put in, or repeated; or without its end."""
    raw = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        start = int(rng.integers(len(raw) + 1))
        stop = min(len(raw), start + int(2 ** rng.uniform(0, 10)))
        how = rng.integers(7)
        if how <= 1 and start < len(raw):
            raw[start] ^= 1 << int(rng.integers(8))
        elif how == 2:
            raw[start : start + 1] = rng.bytes(int(rng.integers(1, 9)))
        elif how == 3:
            del raw[start:stop]
        elif how == 4:
            raw[start:start] = raw[start:stop] * int(rng.integers(1, 4))
        elif how == 5:
            raw[start:start] = _BITS_OF_TEXT[rng.integers(len(_BITS_OF_TEXT))]
        elif rng.random() < 0.3:
            del raw[start:]
    return bytes(raw)


def _csv(rng: np.random.Generator) -> tuple[str, bytes]:
    """A text of some form."""
    X = rng.standard_normal((int(rng.integers(1, 120)), int(rng.integers(1, 6))))
    sep, decimal = [(",", "."), (";", ","), ("\t", "."), ("  ", "."), ("|", ",")][rng.integers(5)]
    quote = ["", '"', "'"][rng.integers(3)]
    names = [f"{quote}v{j}{quote}" for j in range(X.shape[1])]
    rows = [[f"{value:.4g}".replace(".", decimal) for value in row] for row in X]
    if rng.random() < 0.3:
        rows = [[str(i), *row] for i, row in enumerate(rows)]
        names = ["", *names]
    lines = [sep.join(cells) for cells in ([names] if rng.random() < 0.8 else []) + rows]
    text = ["\n", "\r\n", "\r"][rng.integers(3)].join([*lines, ""])
    raw = text.encode(["utf-8", "utf-8", "utf-16", "utf-16-be", "latin-1"][rng.integers(5)])
    return ("x.csv.gz", gzip.compress(raw)) if rng.random() < 0.1 else ("x.csv", raw)


def _table(rng: np.random.Generator) -> Any:
    import pyarrow as pa

    n = int(rng.integers(1, 3000))
    columns = {
        "a": pa.array(rng.standard_normal(n), mask=rng.random(n) < 0.1),
        "b": pa.array(rng.integers(0, 9, n)),
        "c": pa.array(rng.random(n) < 0.5),
        "t": pa.array(rng.choice(["u", "v", "wxyz"], n)).dictionary_encode(),
        "s": pa.array(rng.choice(["u", "v", "wxyz"], n)),
    }
    return pa.table(columns)


def _written(write: Callable[[Any], Any]) -> bytes:
    write(file := io.BytesIO())
    return file.getvalue()


def _parquet(rng: np.random.Generator) -> tuple[str, bytes]:
    from pyarrow import parquet

    options = {
        "compression": ["none", "snappy", "zstd", "gzip"][rng.integers(4)],
        "use_dictionary": bool(rng.integers(2)),
        "row_group_size": int(rng.integers(100, 4000)),
        "data_page_version": ["1.0", "2.0"][rng.integers(2)],
    }
    return "x.parquet", _written(lambda file: parquet.write_table(_table(rng), file, **options))


def _arrow(rng: np.random.Generator) -> tuple[str, bytes]:
    import pyarrow as pa

    table, stream = _table(rng), rng.random() < 0.5
    options = pa.ipc.IpcWriteOptions(compression=["zstd", "lz4", None][rng.integers(3)])

    def write(file: Any) -> None:
        new = pa.ipc.new_stream if stream else pa.ipc.new_file
        with new(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=500)

    return "x.arrow", _written(write)


def _npy(rng: np.random.Generator) -> tuple[str, bytes]:
    X = rng.standard_normal((int(rng.integers(1, 500)), 3)).astype(
        ["f8", "f4", ">f8"][rng.integers(3)]
    )
    if rng.random() < 0.5:
        return "x.npy", _written(lambda file: np.save(file, X))
    save = np.savez if rng.random() < 0.5 else np.savez_compressed
    return "x.npz", _written(lambda file: save(file, X=X))


def _xlsx(rng: np.random.Generator) -> tuple[str, bytes]:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    for row in rng.standard_normal((int(rng.integers(1, 40)), 2)).tolist():
        book.active.append(row)
    return "x.xlsx", _written(book.save)


def _jsonl(rng: np.random.Generator) -> tuple[str, bytes]:
    rows = rng.standard_normal((int(rng.integers(1, 99)), 2)).round(4).tolist()
    return "x.jsonl", "".join(f'{{"a": {a}, "b": {b}}}\n' for a, b in rows).encode()


def _state(rng: np.random.Generator) -> tuple[str, bytes]:
    import edgewise as ew

    state = ew.states.Moments() if rng.integers(2) else ew.states.BatchMoments(20)
    state.update(rng.standard_normal((500, 3)))
    with tempfile.TemporaryDirectory() as folder:
        state.save(path := Path(folder) / "x.ews")
        return "x.ews", path.read_bytes()


KINDS = {
    "csv": _csv,
    "parquet": _parquet,
    "arrow": _arrow,
    "npy": _npy,
    "xlsx": _xlsx,
    "jsonl": _jsonl,
    "state": _state,
}


def _read(path: Path) -> None:
    """Read everything of a file that a user could: its rows, and its labels."""
    if path.suffix == ".ews":
        from edgewise.sums.save import load_state

        load_state(path)
        return
    from edgewise.tables.files import FileTable
    from edgewise.tables.formats import open_file

    texts = [name for name in open_file(path).texts if name in ("s", "t")]
    table = FileTable([path], exclude=texts)
    try:
        for _ in table.blocks():
            pass
    finally:  # also if the rows are refused
        for name in texts:
            table.labels(name)


def _memory(line: str) -> int:
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(line):
            return int(text.split()[1]) << 10
    return 0


def _outcome(kind: str, seed: int, folder: Path) -> dict[str, Any]:
    from edgewise.errors import EdgewiseError

    rng = np.random.default_rng([seed, *kind.encode()])
    name, whole = KINDS[kind](rng)
    path = folder / name
    path.write_bytes(damaged(whole, rng))
    before, start = _memory("VmRSS:"), time.monotonic()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts anew
    said, wrong = "", ""
    try:
        _read(path)
    except EdgewiseError as error:
        said = str(error)
        wrong = f"not one line: {said!r}" if "\n" in said else ""
    except BaseException:
        wrong = traceback.format_exc(limit=-4)
    seconds, peak = time.monotonic() - start, _memory("VmHWM:") - before
    return {
        "seed": seed,
        "wrong": wrong,
        "said": said,
        "seconds": seconds,
        "memory": peak,
        "size": path.stat().st_size,
    }


def main(kind: str, first: int, stop: int) -> None:
    """Read the files of these seeds; whatever happens, say so before the next."""
    import resource  # which Windows has not

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "warm.csv").write_text("a,b\n1,2\n")
        _read(path / "warm.csv")
        limit = _memory("VmSize:") + _MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for seed in range(first, stop):
            print(json.dumps({"begun": seed}), flush=True)
            signal.alarm(LIMIT + 5)  # ends the process, also within a library
            print(json.dumps(_outcome(kind, seed, path)), flush=True)


def outcomes(kind: str, count: int) -> Iterator[dict[str, Any]]:
    """What came of each file; a process that dies is an outcome, and another goes on after it."""
    first = 0
    while first < count:
        arguments = [sys.executable, "-m", "tests.corpus.fuzzing", kind, str(first), str(count)]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
        begun = first
        if "Traceback" in done.stderr:  # a library may print one and go on
            yield {"seed": first, "wrong": done.stderr[-2000:]}
        for line in done.stdout.splitlines():
            told = json.loads(line)
            begun = told.get("begun", begun)
            if "seed" in told:
                yield told
                first = told["seed"] + 1
        if first < count:
            yield {"seed": begun, "wrong": f"died with {done.returncode}: {done.stderr[-2000:]}"}
            first = begun + 1


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
