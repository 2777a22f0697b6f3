# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI is told about network cards that are not there."""

from pathlib import Path

import pytest

from thalweg.launch.absent_networks import variables
from thalweg.launch.launchers import HYDRA, OPEN_RTE, Launcher

OPEN_MPI = Launcher(OPEN_RTE, "/usr/bin/mpirun.openmpi")
LEFT_OUT = {"OMPI_MCA_mtl": "^psm2,psm"}


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_components_without_cards_are_left_out(tmp_path: Path) -> None:
    assert variables(OPEN_MPI, ["-n", "2", "app"], {}, str(tmp_path)) == LEFT_OUT


@pytest.mark.parametrize("card", ["dev/hfi1_0", "dev/ipath0"])
def test_cards_are_looked_for(tmp_path: Path, card: str) -> None:
    write(tmp_path, card, "")
    assert variables(OPEN_MPI, ["app"], {}, str(tmp_path)) == {}


@pytest.mark.parametrize(
    "words", [["--host", "a,b", "app"], ["--hostfile", "h", "app"], ["--mca", "mtl", "psm2", "app"]]
)
def test_the_users_hosts_and_components_stay(tmp_path: Path, words: list[str]) -> None:
    assert variables(OPEN_MPI, words, {}, str(tmp_path)) == {}


@pytest.mark.parametrize("name", ["OMPI_MCA_mtl", "OMPI_MCA_pml"])
def test_the_users_variables_stay(tmp_path: Path, name: str) -> None:
    assert variables(OPEN_MPI, ["app"], {name: "cm"}, str(tmp_path)) == {}


def test_other_hosts_in_the_default_file(tmp_path: Path) -> None:
    write(tmp_path, "etc/openmpi/openmpi-default-hostfile", "# none\nnode1\n")
    assert variables(OPEN_MPI, ["app"], {}, str(tmp_path)) == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mtl = ^ofi", {"OMPI_MCA_mtl": "^ofi,psm2,psm"}),
        ("mtl=^psm2", LEFT_OUT),
        ("mtl = ofi", {}),
        ("btl = tcp", LEFT_OUT),
    ],
)
def test_the_administrators_choice_is_kept(tmp_path: Path, line: str, expected: dict[str, str]) -> None:
    write(tmp_path, "etc/openmpi/openmpi-mca-params.conf", f"# a comment\n{line}\n")
    assert variables(OPEN_MPI, ["app"], {}, str(tmp_path)) == expected


def test_other_launchers_are_left_alone(tmp_path: Path) -> None:
    assert variables(Launcher(HYDRA, "/usr/bin/mpiexec"), ["app"], {}, str(tmp_path)) == {}
