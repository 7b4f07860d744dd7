"""Connecting to a cluster, or starting one on this machine's cores."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgewise._base.parts import missing_part, part
from edgewise._base.text import one_line
from edgewise._version import __version__
from edgewise.errors import ParameterError

# How many seconds to wait for a cluster.
TIMEOUT = 10.0
_DASK = "A cluster of Dask"
# At a task of Spark: the default of spark.task.maxFailures.
_ATTEMPTS = 4
# If these differ between machines, one may not be able to read what another writes.
_MUST_MATCH = ("python", "dask", "distributed", "numpy", "edgewise")


@contextmanager
def dask_client(address: str | None, *, timeout: float = TIMEOUT) -> Iterator[Any]:
    """A client of the scheduler at `address`; by default, of one local process per core."""
    part("distributed", "dask", _DASK)
    from dask.system import CPU_COUNT
    from distributed import Client, LocalCluster

    if address is None:
        with (
            LocalCluster(
                n_workers=CPU_COUNT,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",  # any free port, reachable from this machine only
                silence_logs=logging.CRITICAL,  # failures are raised here, and reported once
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        asyncio.run(_shake_hands(address, timeout))
        client = Client(address, timeout=timeout)
    except Exception as error:  # a server with another protocol can cause any error
        reason = f" ({one_line(error)})" if str(error) else ""
        raise ParameterError(
            f"scheduler: no Dask scheduler answered at '{address}' within {timeout:g} s{reason}; "
            "check the address, and that the scheduler is up."
        ) from error
    with client:
        check_client(client)
        try:
            client.wait_for_workers(1, timeout=timeout)
        except TimeoutError as error:
            raise ParameterError(
                f"scheduler: the Dask scheduler at '{address}' had no worker within {timeout:g} s; "
                "start some, and try again."
            ) from error
        yield client


async def _shake_hands(address: str, timeout: float) -> None:
    """Fail early: `Client` would wait for ever for a server that accepts but never answers."""
    from distributed.comm import connect
    from distributed.security import Security

    how = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=timeout, **how), timeout)
    await comm.close()


def check_client(client: Any) -> None:
    """Refuse anything but a working client of a cluster with the same software."""
    part("distributed", "dask", _DASK)
    from distributed import Client

    if not isinstance(client, Client):
        raise ParameterError(
            f"client: expected a distributed.Client, got {type(client).__name__}; make one with "
            "Client(address)."
        )
    if client.asynchronous:
        raise ParameterError(
            "client: expected a client that waits for its results, got an asynchronous one; make "
            "it with asynchronous=False."
        )
    if client.status != "running":
        raise ParameterError(
            f"client: expected a client with a connection, got one that is {client.status}; make a "
            "new one with Client(address)."
        )
    versions = client.get_versions(packages=["edgewise", "numpy"])
    for worker, theirs in {"the scheduler": versions["scheduler"], **versions["workers"]}.items():
        _check_versions(worker, theirs, versions["client"])


def _check_versions(machine: str, theirs: Any, ours: Any) -> None:
    # A scheduler only passes data on, so it does not need all packages.
    needed = ("python", "dask", "distributed") if machine == "the scheduler" else _MUST_MATCH
    mine = {**ours["packages"], "edgewise": __version__}
    for package in needed:
        got, expected = theirs["packages"].get(package), mine.get(package)
        if _series(package, got) != _series(package, expected):
            raise ParameterError(
                f"client: expected {package} {expected} on {machine}, as here, got "
                f"{got or 'none'}; install the same versions everywhere."
            )


def _series(package: str, version: str | None) -> str | None:
    """The part of a version that must be equal."""
    if version is None:
        return None
    parts = version.split(".")
    return ".".join(parts[:1] if package == "numpy" else parts[:2])


@contextmanager
def spark_session(master: str | None, *, timeout: float = TIMEOUT) -> Iterator[Any]:
    """A session of the cluster at `master`; by default, of this machine's cores."""
    from edgewise.rows.clusters.spark import spark_errors, spark_reason, without_pandas_warning

    try:
        with without_pandas_warning():
            from pyspark.sql import SparkSession
    except ImportError as error:
        raise missing_part("pyspark", "spark", "The engine Spark", error) from error
    address = master or "local[*]"
    _check_master(address)
    _check_reachable(address, timeout)
    builder = SparkSession.builder.appName("edgewise").master(_retrying(address))
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    quiet = Path(__file__).with_name("log4j2.properties").as_uri()
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={quiet}")
    if address.startswith("local"):
        # The workers run on this machine: they must use the Python that has edgewise.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    failures: tuple[type[Exception], ...] = (*spark_errors(), RuntimeError, OSError, ValueError)
    try:
        with without_pandas_warning():
            session = builder.getOrCreate()
    except failures as error:
        if "stopped SparkContext" in str(error):  # it gave up on the master
            raise ParameterError(
                f"master: no Spark master answered at '{address}'; check the address, and that the "
                "master is up."
            ) from error
        raise ParameterError(
            f"master: Spark did not start with '{address}' ({spark_reason(error)}); check the "
            "address, and that a Java runtime (17 or newer) is installed."
        ) from error
    try:
        with _own_interrupts():
            yield session
    finally:
        session.stop()


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Restore the usual Ctrl-C; Spark's handler calls Java in the middle of another call."""
    silenced = logging.root.manager.disable
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler) if in_main else None
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(silenced)
        if in_main:
            signal.signal(signal.SIGINT, handler)


def _retrying(master: str) -> str:
    """The same, with as many attempts at a task as on a cluster; Spark's own local ones have one.

    Examples
    --------
    >>> _retrying("local[*]"), _retrying("local"), _retrying("local[2,1]"), _retrying("yarn")
    ('local[*,4]', 'local[1,4]', 'local[2,1]', 'yarn')
    """
    cores = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    return master if cores is None else f"local[{cores[1] or 1},{_ATTEMPTS}]"


def _check_master(master: str) -> None:
    """Refuse a wrong address early: Spark would start, then print a page of Java errors."""
    if not re.fullmatch(
        r"local(-cluster)?(\[([1-9]\d*|\*)(,\d+)*\])?|yarn|(spark|k8s)://.+", master
    ):
        raise ParameterError(
            "master: expected an address like spark://host:7077, k8s://host:443, yarn or local[4], "
            f"got '{master}'."
        )


def _check_reachable(master: str, timeout: float) -> None:
    """Fail early: Spark would try for minutes before it gives up on a standalone master."""
    if not master.startswith("spark://"):
        return
    reasons = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=timeout).close()
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(one_line(error))
        else:
            return
    raise ParameterError(
        f"master: no Spark master answered at '{master}' within {timeout:g} s "
        f"({'; '.join(reasons)}); check the address, and that the master is up."
    )
