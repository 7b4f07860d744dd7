"""Reaching a Dask cluster, and what is wrong with one that cannot be used."""

from __future__ import annotations

import asyncio
import copy
import socket
import sys
import time

import pytest

import edgewise as ew
from edgewise._version import __version__
from edgewise.errors import MissingPartError, ParameterError
from edgewise.rows.clusters import connecting as clusters
from edgewise.rows.clusters.connecting import check_client, dask_client


@pytest.fixture(scope="module")
def reachable(cluster_of):
    """A cluster that listens, as one elsewhere does."""
    with cluster_of(processes=False, protocol="tcp") as cluster:
        yield cluster


def entered(address, **options):
    with dask_client(address, **options) as client:
        return client


class TestAddress:
    def test_of_a_cluster(self, reachable, csv_file, rows, same_result):
        address = reachable.scheduler_address
        with dask_client(address) as client:
            assert client.status == "running"
            same_result(ew.edge_test(csv_file, client=client), ew.edge_test(rows), names="abcd")
        assert client.status == "closed"
        assert entered(address.removeprefix("tcp://")).status == "closed"

    @pytest.mark.parametrize(
        "address",
        ["", "nowhere", "tcp://127.0.0.1", "tcp://", "http://127.0.0.1:1", "tcp://127.0.0.1:x"],
    )
    def test_that_is_none(self, require, refuses, address):
        require("distributed")
        fragments = ["scheduler: no Dask scheduler answered", f"'{address}'", "check the address"]
        refuses(lambda: entered(address, timeout=0.5), ParameterError, *fragments)

    def test_where_nobody_listens(self, require, refuses):
        require("distributed")
        # Dask's own patience, far beyond what the slowest machine takes to lose half a second's.
        patience = {"distributed.comm.timeouts.connect": "3 minutes"}
        with socket.socket() as bound, require("dask").config.set(patience):
            bound.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
            start = time.monotonic()
            call = lambda: entered(address, timeout=0.5)  # noqa: E731
            refuses(call, ParameterError, address, "within 0.5 s", "that the scheduler is up")
            assert time.monotonic() - start < 120

    def test_where_somebody_is_silent(self, require, refuses):
        """As a firewall may be; Dask itself would wait for ever."""
        require("distributed")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
            call = lambda: entered(address, timeout=0.5)  # noqa: E731
            refuses(call, ParameterError, address, "within 0.5 s")

    @pytest.mark.parametrize("answer", [b"HTTP/1.0 400 Bad request\r\n\r\n", b"\x00" * 64, b""])
    def test_where_another_language_is_spoken(self, require, refuses, answer):
        """The first is what the port of a dashboard says: a common slip."""
        require("distributed")

        async def answered():
            async def talk(reader, writer):
                await reader.read(1)
                writer.write(answer)
                writer.close()

            server = await asyncio.start_server(talk, "127.0.0.1", 0)
            async with server:
                port = server.sockets[0].getsockname()[1]
                call = lambda: entered(f"tcp://127.0.0.1:{port}", timeout=0.5)  # noqa: E731
                await asyncio.to_thread(refuses, call, ParameterError, f":{port}'", "within 0.5 s")

        asyncio.run(answered())


class TestNotInstalled:
    def test_says_which_extra(self, monkeypatch, refuses, rows):
        monkeypatch.setitem(sys.modules, "distributed", None)
        fragments = ["Dask needs distributed", "is not installed", "pip install ", "[dask]"]
        for address in (None, "tcp://127.0.0.1:1"):
            refuses(lambda a=address: entered(a), MissingPartError, *fragments)
        refuses(lambda: ew.edge_test(rows, client=object()), MissingPartError, *fragments)

    def test_dask_alone_does_for_its_own_threads(self, monkeypatch, da, rows, same_result):
        array = da.from_array(rows.copy(), chunks=(150, 4)) + 1
        expected = ew.edge_test(rows + 1)
        monkeypatch.setitem(sys.modules, "distributed", None)
        same_result(ew.edge_test(array), expected)


class TestClient:
    def test_that_works(self, client):
        check_client(client)

    @pytest.mark.parametrize("wrong", ["tcp://127.0.0.1:8786", 3, object(), ["client"]])
    def test_of_the_wrong_type(self, require, refuses, csv_file, wrong):
        require("distributed")
        name = type(wrong).__name__
        fragments = ["client: expected a distributed.Client", f"got {name};", "Client(address)"]
        refuses(lambda: ew.edge_test(csv_file, client=wrong), ParameterError, *fragments)
        refuses(lambda: ew.accumulate(csv_file, client=wrong), ParameterError, *fragments)

    def test_a_cluster_is_no_client(self, client, refuses):
        call = lambda: check_client(client.cluster)  # noqa: E731
        refuses(call, ParameterError, "got LocalCluster")

    def test_that_is_closed(self, client, require, refuses, csv_file):
        other = require("distributed").Client(client.cluster, set_as_default=False)
        other.close()
        fragments = ["client", "got one that is closed", "new one"]
        refuses(lambda: ew.edge_test(csv_file, client=other), ParameterError, *fragments)

    def test_that_does_not_wait(self, reachable, require, refuses, csv_file):
        async def inside():
            address = reachable.scheduler_address
            made = require("distributed").Client(address, asynchronous=True, set_as_default=False)
            async with made as other:
                call = lambda: ew.edge_test(csv_file, client=other)  # noqa: E731
                refuses(call, ParameterError, "asynchronous one", "asynchronous=False")

        asyncio.run(inside())


class TestVersions:
    @pytest.fixture
    def with_versions(self, client, monkeypatch):
        """A client whose cluster says that it has other software."""
        known = client.get_versions(packages=["edgewise", "numpy"])

        def change(machine, package, version):
            said = copy.deepcopy(known)
            theirs = said["scheduler"]
            if machine == "worker":
                theirs = next(iter(said["workers"].values()))
            theirs["packages"][package] = version
            monkeypatch.setattr(client, "get_versions", lambda **_: said)
            return client

        return change

    @pytest.mark.parametrize(
        ("machine", "package", "version"),
        [
            ("worker", "edgewise", "9.9.9"),
            ("worker", "edgewise", None),
            ("worker", "numpy", "1.26.4"),
            ("worker", "python", "3.9.1.final.0"),
            ("worker", "distributed", "2020.1.0"),
            ("scheduler", "dask", "2020.1.0"),
            ("scheduler", "python", "3.9.1.final.0"),
        ],
    )
    def test_that_do_not_fit(self, with_versions, csv_file, refuses, machine, package, version):
        client = with_versions(machine, package, version)
        fragments = [
            f"client: expected {package} ",
            f"got {version or 'none'};",
            "the scheduler" if machine == "scheduler" else "inproc://",
            "the same versions everywhere",
        ]
        refuses(lambda: ew.edge_test(csv_file, client=client), ParameterError, *fragments)

    @pytest.mark.parametrize(
        ("machine", "package", "version"),
        [
            ("worker", "edgewise", f"{__version__.rpartition('.')[0]}.99"),
            ("worker", "numpy", "2.99.0"),
            ("scheduler", "numpy", "1.0"),
            ("scheduler", "edgewise", None),
            ("worker", "pandas", "0.1"),
        ],
    )
    def test_that_are_near_enough(self, with_versions, machine, package, version):
        check_client(with_versions(machine, package, version))

    def test_a_client_of_the_wrong_version_at_an_address(self, reachable, monkeypatch, refuses):
        monkeypatch.setattr(clusters, "__version__", "0.0.0")
        call = lambda: entered(reachable.scheduler_address)  # noqa: E731
        refuses(call, ParameterError, "expected edgewise 0.0.0 on tcp://", f"got {__version__}")


def test_a_scheduler_without_workers(require):
    cluster = require("distributed").LocalCluster(
        n_workers=0,
        processes=False,
        dashboard_address="127.0.0.1:0",
        scheduler_port=0,
        protocol="tcp",
    )
    with (
        cluster,
        pytest.raises(ew.ParameterError, match="had no worker within 1 s"),
        clusters.dask_client(cluster.scheduler_address, timeout=1),
    ):
        pytest.fail("there is nobody to work")
