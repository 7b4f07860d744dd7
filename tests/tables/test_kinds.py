"""The table of kinds: every reader is there, and nothing is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from edgewise.tables.kinds import KINDS, gives_batches, kind_of, row_source
from edgewise.tables.sliced import RowSource
from edgewise.tables.table import LocalTable

ROOT = Path(__file__).parents[2]  # where the corpus is found
WITHOUT_ARROW = """
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
import collections, importlib.util, pathlib, tempfile
import numpy as np, scipy.sparse
import edgewise as ew
from tests.corpus.kit import Kit
from tests.corpus.test_objects import CASES

def require(name):
    return importlib.import_module(name)

rows = np.random.default_rng(0).standard_normal((400, 4))
kit = Kit(rows, require, pathlib.Path(tempfile.mkdtemp()))
for name in sys.argv[1:]:
    made = CASES[name].make(kit)
    result = ew.edge_test(made, method="fisher", missing="drop")
    assert result.feature_names == CASES[name].names, name
assert sys.modules["pyarrow"] is None
"""

CORE = [
    "array",
    "mapping of arrays",
    "records",
    "named tuples",
    "structured array",
    "csc_array",
    "cursor",
    "tensor",
    "generator of arrays",
    "iterator of mappings",
]


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
def test_every_reader_is_there(kind):
    reader = kind.loaded()
    assert issubclass(reader, RowSource | LocalTable)
    assert reader.__doc__


def test_no_pyarrow_is_needed_for_what_is_not_a_frame():
    done = run(WITHOUT_ARROW, *CORE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("package", "name"),
    [("xarray", "DataArray"), ("anndata", "AnnData")],
)
def test_no_pyarrow_is_needed_for_containers_of_science(require, package, name):
    require(package)
    done = run(WITHOUT_ARROW, name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (
            "import pandas; data = pandas.DataFrame({'a': [1.0], 'b': [2]}, dtype='Float64')",
            "a pandas data frame",
        ),
        ("import polars; data = polars.LazyFrame({'a': [1.0]})", "a polars LazyFrame"),
        ("import polars; data = polars.DataFrame({'a': [1.0]})", "an Arrow table or stream"),
    ],
)
def test_a_frame_without_pyarrow_names_the_extra(require, make, what):
    require(make.split()[1].rstrip(";"))
    program = f"""
import sys
sys.modules["pyarrow"] = None
{make}
import edgewise as ew
try:
    ew.edge_test(data)
except ew.errors.MissingDependencyError as error:
    print(error)
"""
    done = run(program)
    assert done.stdout.startswith(f"{what} needs pyarrow"), done.stderr
    assert "[tables]" in done.stdout


def test_packages_are_not_imported_to_recognise_objects():
    program = """
import sys
import numpy as np
import edgewise as ew
X = np.random.default_rng(0).standard_normal((50, 3))
ew.edge_test(X)
ew.edge_test(X.tolist())
ew.edge_test(dict(zip("abc", X.T)))
heavy = "pyarrow pandas polars xarray anndata torch".split()
print([name for name in heavy if name in sys.modules])
"""
    done = run(program)
    assert done.stdout.strip() == "[]", done.stderr


def test_what_has_no_reader_of_its_own(rows):
    for data in (rows, rows.tolist(), [], iter([rows]), 3, "text", None):
        assert kind_of(data) is None
        assert row_source(data) is None
    assert gives_batches(iter([rows]))
    assert not gives_batches([rows])


def test_only_some_readers_know_labels(table, require):
    assert row_source(table) is None
    assert row_source({"a": [1.0]}).names == ("a",)
