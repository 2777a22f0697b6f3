# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests under Slurm: one cluster for all of them, and a program that says where its ranks are."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import DAEMONS, Cluster
from slurm_programs import ENDS_SOURCE, HERE_SOURCE

from support import Programs


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if os.geteuid() != 0 or any(shutil.which(name) is None for name in DAEMONS):
        pytest.skip("Slurm's daemons are not installed (scripts/prepare), or this is not root")
    # Sockets' paths have to be short, and pytest's folders are not.
    folder = Path(tempfile.mkdtemp(prefix="slurm", dir="/tmp"))
    one = Cluster(f"slurm{os.getpid()}", folder)
    with one.up():
        yield one
    assert not folder.exists()


@pytest.fixture(scope="session")
def here(programs: Programs) -> str:
    """Build a program of Debian's Open MPI that says where its ranks are."""
    return programs.build("here", HERE_SOURCE, "mpicc.openmpi")


@pytest.fixture(scope="session")
def ends(programs: Programs) -> str:
    """Build a program of Debian's Open MPI whose last rank ends the job, while the others wait for it."""
    return programs.build("ends", ENDS_SOURCE, "mpicc.openmpi", "-g")
