"""Fixtures of all tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "agg")


def pytest_collection_modifyitems(items):
    """What needs Spark or a Dask cluster runs first, in one worker of xdist: one starts it."""
    clusters = {"spark", "dask_cluster"}
    items.sort(key=lambda item: clusters.isdisjoint(getattr(item, "fixturenames", ())))


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def require():
    """``require("pandas")``: that module or program; without it a skip, or where told a failure."""

    def find(name):
        try:
            return import_module(name)
        except ImportError:
            program = shutil.which(name)
        if program is not None:
            return program
        if os.environ.get("EDGEWISE_REQUIRE_ALL") == "1":
            pytest.fail(f"{name} is not installed, and EDGEWISE_REQUIRE_ALL=1 wants every part")
        return pytest.skip(f"{name} is not installed")

    return find


@pytest.fixture(scope="session")
def rows():
    """400 × 4, a chain with heavy tails; read-only, so that no test can spoil another."""
    X = np.random.default_rng(20).standard_t(6, (400, 4))
    for j in range(1, 4):
        X[:, j] += 0.6 * X[:, j - 1]
    X.flags.writeable = False
    return X


@pytest.fixture
def kit(rows, require, tmp_path):
    """Objects made of `rows`, which are closed after the test."""
    from tests.corpus.kit import Kit

    kit = Kit(rows, require, tmp_path)
    yield kit
    for thing in kit.opened:
        thing.close()


@pytest.fixture(scope="session")
def weights():
    return np.random.default_rng(2).exponential(size=400) + 0.1


@pytest.fixture(scope="session")
def counts():
    return np.random.default_rng(3).integers(0, 4, 400)


@pytest.fixture(scope="session")
def hostile_names():
    """Column names that a careless program would run, render, or choke on."""
    return (
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>",
        "$x^2$",
        "[red]x",
        "a\x1b[31mb",
        "a,b",
        "naïve – ü",
        "long" * 60,
    )


@pytest.fixture(scope="session")
def hostile_rows(hostile_names):
    X = np.random.default_rng(3).standard_normal((300, len(hostile_names)))
    X[:, 1:] += X[:, :-1]
    return X


@pytest.fixture(scope="session")
def same_result():
    """Two results agree to 1e-12, and in their names."""

    def check(result, expected, *, names=None):
        assert result.n_samples == expected.n_samples
        assert result.feature_names == tuple(names or expected.feature_names)
        for field in ("covariance", "partial_correlation", "statistic", "log_pvalue", "threshold"):
            np.testing.assert_allclose(
                getattr(result, field), getattr(expected, field), rtol=1e-12, atol=1e-13
            )
        np.testing.assert_array_equal(result.reject, expected.reject)

    return check


@pytest.fixture(scope="session")
def refuses():
    """A call fails with the error, in one line that holds every fragment."""

    def check(call, error, *fragments):
        with pytest.raises(error) as caught:
            call()
        message = str(caught.value)
        assert "\n" not in message
        for fragment in fragments:
            assert fragment in message
        return caught.value

    return check


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit status."""

    stdout: str
    stderr: str
    returncode: int


@pytest.fixture(scope="session")
def run_edgewise():
    """Run `edgewise` within this process: what a command prints and returns."""
    from click.testing import CliRunner

    from edgewise.cli.main import cli

    def run(*arguments, status=0, cwd=None, env=None, input=None):
        with contextlib.chdir(cwd or "."):
            done = CliRunner().invoke(
                cli, list(map(str, arguments)), input=input, env=env, prog_name="edgewise"
            )
        if not isinstance(done.exception, SystemExit | None):
            raise done.exception
        assert status in (done.exit_code, None), done.stderr
        return Ran(done.stdout, done.stderr, done.exit_code)

    return run


@pytest.fixture(scope="session")
def run_program():
    """Run the real `edgewise` program: for streams, signals, exit status and encodings."""
    program = shutil.which("edgewise", path=str(Path(sys.executable).parent))
    assert program is not None, "edgewise is not installed beside this Python"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}

    def run(*arguments, status=0, cwd=None, env=None, encoding="utf-8", **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        done = subprocess.run(
            [program, *map(str, arguments)],
            cwd=cwd,
            env=environment | (env or {}),
            encoding=encoding,
            check=False,
            **options,
        )
        assert "Traceback" not in done.stderr
        assert status in (done.returncode, None), done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def write_csv():
    """Write columns as CSV with numbers that read back exactly."""
    import csv

    def write(path, names, X):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(np.asarray(X).tolist())
        return path

    return write


@pytest.fixture
def csv_file(tmp_path, rows, write_csv):
    """`rows` as CSV, its columns called a, b, c, d."""
    return write_csv(tmp_path / "rows.csv", "abcd", rows)


# The same examples on every machine, however busy it is.
settings.register_profile("edgewise", deadline=None, derandomize=True)
settings.load_profile("edgewise")


@pytest.fixture(scope="session")
def spark(require, tmp_path_factory):
    """One session for all tests of a process: two cores, and four attempts at every task."""
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.master": "local[2,4]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        # To compile code well takes longer than to run it, for tests.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    from edgewise.tables.spark import without_pandas_warning

    with without_pandas_warning(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        require("java")
        session = require("pyspark.sql").SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cut(spark):
    """``cut(X, [0, 7, 7, 400])``: a frame of X, one partition from each number to the next."""

    import pyarrow as pa

    from edgewise.tables.spark import without_pandas_warning

    def frame_of(X, bounds, names=None):
        names = names or [f"x{j}" for j in range(X.shape[1])]
        n_parts = len(bounds) - 1

        def rows(batches):
            from pyspark import TaskContext

            for _ in batches:
                pass
            start, stop = bounds[TaskContext.get().partitionId() :][:2]
            yield pa.RecordBatch.from_arrays(list(map(pa.array, X[start:stop].T)), columns)

        columns = [f"c{j}" for j in range(X.shape[1])]
        schema = ", ".join(f"{column} double" for column in columns)
        with without_pandas_warning():
            return spark.range(0, n_parts, 1, n_parts).mapInArrow(rows, schema).toDF(*names)

    return frame_of
