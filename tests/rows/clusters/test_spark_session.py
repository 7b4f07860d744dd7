"""Reaching a Spark cluster, or not."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys

import pytest

from edgewise.errors import MissingPartError, ParameterError
from edgewise.rows.clusters import connecting as clusters


@pytest.fixture
def starts(require):
    """Start a session, which must fail before Java is asked."""
    require("pyspark")

    def start(master, **options):
        with clusters.spark_session(master, **options):
            pytest.fail(f"there is a session with {master}")

    return start


@pytest.fixture
def closed_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and nobody listens
        yield held.getsockname()[1]


@pytest.fixture
def patience(monkeypatch):
    """The seconds that each connection was given. How long it took, the machine decides."""
    given = []
    connect = clusters.socket.create_connection

    def noted(address, timeout):
        given.append(timeout)
        return connect(address, timeout=timeout)

    monkeypatch.setattr(clusters.socket, "create_connection", noted)
    return given


def test_without_pyspark(monkeypatch, refuses):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)

    def start():
        with clusters.spark_session(None):
            pass

    refuses(start, MissingPartError, "pyspark, which is not installed", "pip install ", "[spark]")


@pytest.mark.parametrize(
    "master", ["nonsense", "bogus://x", "local[x]", "local[0]", "local[2", "spark://", " local"]
)
def test_what_is_no_address(starts, refuses, master):
    refuses(lambda: starts(master), ParameterError, "master: expected", f"got '{master}'")


@pytest.mark.parametrize(
    "master", ["local", "local[1]", "local[*]", "local[2,4]", "local-cluster[2,1,1024]", "yarn"]
)
def test_what_is_an_address(master):
    clusters._check_master(master)
    clusters._check_reachable(master, 0.1)


@pytest.mark.parametrize(
    ("master", "started"),
    [
        ("local[*]", "local[*,4]"),
        ("local[8]", "local[8,4]"),
        ("local", "local[1,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_tasks_are_tried_again_on_one_machine(master, started):
    """`test_spark_faults` kills workers under such a master."""
    assert clusters._retrying(master) == started


def test_nobody_listens(starts, refuses, closed_port, patience):
    master = f"spark://127.0.0.1:{closed_port}"
    refuses(lambda: starts(master), ParameterError, f"no Spark master answered at '{master}'", "up")
    assert patience == [clusters.TIMEOUT]


def test_nobody_answers(starts, refuses, patience):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf:
        port = deaf.getsockname()[1]
        waiting = []
        try:
            for _ in range(4):  # until no more fit into the queue
                waiting.append(socket.socket())
                waiting[-1].setblocking(False)
                waiting[-1].connect_ex(("127.0.0.1", port))
            master = f"spark://127.0.0.1:{port}"
            refuses(lambda: starts(master, timeout=0.3), ParameterError, master, "within 0.3 s")
            assert patience == [0.3]
        finally:
            for one in waiting:
                one.close()


@pytest.mark.parametrize("place", ["localhost", "localhost:", "localhost:x", "localhost:99999999"])
def test_no_port(starts, refuses, place):
    refuses(lambda: starts(f"spark://{place}"), ParameterError, f"'spark://{place}'")


def test_one_of_several_masters_is_enough(closed_port):
    with socket.create_server(("127.0.0.1", 0)) as server:
        alive = server.getsockname()[1]
        clusters._check_reachable(f"spark://127.0.0.1:{closed_port},127.0.0.1:{alive}", 1.0)


def test_without_java(require, tmp_path):
    require("pyspark")
    # What Spark's own script needs, and no Java.
    for program in ("bash", "dirname", "ps", "find"):
        if (found := shutil.which(program)) is not None:
            (tmp_path / program).symlink_to(found)
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    code = (
        "from edgewise.rows.clusters.connecting import spark_session\n"
        "from edgewise.errors import ParameterError\n"
        "try:\n"
        "    with spark_session('local[1]'): pass\n"
        "except ParameterError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**environment, "PATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    (line,) = done.stdout.splitlines()
    assert line.startswith("master: Spark did not start with 'local[1]'")
    assert "Java runtime (17 or newer)" in line
