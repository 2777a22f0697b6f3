# SPDX-License-Identifier: BSD-3-Clause
"""What tests on a lab with agents share: the lab, and programs for it."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import devices
import pytest

from thalweg.lab.hosts import folder_of
from thalweg.libraries import library_folders

sys.path.insert(0, str(Path(__file__).parents[1] / "run" / "mpi"))


def _compiled(name: str, folders: pytest.TempPathFactory) -> str:
    path = folders.mktemp("nic") / name
    subprocess.run(["mpicc.openmpi", "-O1", "-o", str(path), str(devices.SOURCES / f"{name}.c")], check=True)
    return str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("barriers", tmp_path_factory)


@pytest.fixture(scope="module")
def reductions(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("reductions", tmp_path_factory)


@pytest.fixture(scope="module")
def nonblocking(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("nonblocking", tmp_path_factory)


@pytest.fixture(scope="module")
def broadcasts(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("broadcasts", tmp_path_factory)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("blocks", tmp_path_factory)


@pytest.fixture(scope="module")
def surviving(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("surviving", tmp_path_factory)


@pytest.fixture(scope="module")
def exact_sums() -> str:
    from jobs import build  # noqa: PLC0415 (its folder has just become one to import from)
    from mpis import named  # noqa: PLC0415

    return str(build(named("openmpi4"), "exact_sums"))


@pytest.fixture(scope="module")
def programs(reductions: str, broadcasts: str, blocks: str) -> dict[str, str]:
    return {"reductions": reductions, "broadcasts": broadcasts, "blocks": blocks}


def _compiled_with_teams(compiler: Sequence[str], source: str, folders: pytest.TempPathFactory) -> str:
    path = folders.mktemp("nic") / Path(source).stem
    root = devices.SOURCES.parent.parent
    folder = next(folder for folder in library_folders() if Path(folder, "libthalweg-team-openmpi.so").exists())
    words = [*compiler, "-O1", f"-I{root}/include", f"-I{root}/tests", "-o", str(path), f"{root}/tests/{source}"]
    subprocess.run([*words, f"-L{folder}", "-lthalweg-team-openmpi", f"-Wl,-rpath,{folder}"], check=True)
    return str(path)


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled_with_teams(["mpicxx.openmpi", "-std=c++20"], "api/team/messages.cpp", tmp_path_factory)


@pytest.fixture(scope="module")
def transfers(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled_with_teams(["mpicc.openmpi"], "nic/transfers.c", tmp_path_factory)


@pytest.fixture(scope="module")
def lab() -> Iterator[None]:
    devices.lab_up()
    programs = devices.programs()
    assert len(programs) == 2 * (devices.HOSTS + 1)
    yield
    programs |= devices.programs()
    assert devices.thalweg("lab", "down").returncode == 0
    assert not folder_of(devices.NAME).exists()
    assert devices.left_of(programs) == {}
