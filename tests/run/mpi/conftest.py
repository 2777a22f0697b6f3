# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the MPI tests."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from jobs import NATIVE, build, run
from locks import locked
from mpis import MPIS, ROOT, Mpi, named


@pytest.fixture(scope="session", autouse=True)
def _installed_mpis() -> None:
    """Install the MPI libraries that are no Debian packages; quick when they are there."""
    with locked(ROOT / ".mpi"):
        subprocess.run([ROOT / "scripts" / "mpis" / "install.sh"], check=True)


@functools.cache
def _cannot_start(name: str) -> str:
    """Say why a library from a wheel cannot start two ranks on this machine, without Thalweg; empty if it can.

    Closed ones are particular about the machine.
    """
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "conformance")), "--known", mpi.known_names, "bcast"], NATIVE)
    return "" if result.status == 0 else f"{name} does not start here, natively: {result.err.strip()[-300:]}"


@pytest.fixture(autouse=True)
def _mpi_works_here(request: pytest.FixtureRequest, _installed_mpis: None) -> None:
    """Skip the tests of an MPI that does not work on this machine by itself; Debian's must."""
    wheels = {mpi.name for mpi in MPIS} - {"openmpi4", "mpich4"}
    parameters = getattr(request.node, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        name = value.name if isinstance(value, Mpi) else value
        if isinstance(name, str) and name in wheels and (why := _cannot_start(name)):
            pytest.skip(why)
