# SPDX-License-Identifier: BSD-3-Clause
"""The catalog and the list of packages say the same, and inputs exist."""

from pathlib import Path

import pytest

from thalweg.errors import SETTINGS, ThalwegError
from thalweg_labs.demo.catalog import PROGRAMS, chosen
from thalweg_labs.demo.packages import debian_packages, pypi_packages
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.site import FLAVORS, make_site

REPOSITORY = Path(__file__).resolve().parents[4]


def test_the_list_of_packages_is_that_of_the_programs() -> None:
    lines = (REPOSITORY / "scripts" / "packages-demo.txt").read_text().splitlines()
    wanted = [f"debian {package}" for package in debian_packages(PROGRAMS)]
    wanted += [f"pypi {package}" for package in pypi_packages(PROGRAMS)]
    assert [line for line in lines if not line.startswith("#")] == wanted


def test_names_are_unique_on_an_mpi_library() -> None:
    names = [(program.name, program.flavor.name) for program in PROGRAMS]
    assert len(names) == len(set(names))


def test_there_are_programs_nobody_here_wrote_on_every_mpi_library() -> None:
    for flavor in FLAVORS.values():
        foreign = [one for one in PROGRAMS if one.flavor == flavor and "examples" not in one.title]
        assert len(foreign) >= 3


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.name}-{program.flavor.name}")
def test_packages_are_pinned_where_they_are_not_the_system_s(program: Program) -> None:
    assert all("==" in package for package in program.pypi)


def test_the_site_looks_outwards_from_the_package(tmp_path: Path) -> None:
    site = make_site(None, tmp_path)
    assert (site.inputs / "silicon.in").is_file()
    assert site.repository == REPOSITORY
    assert site.build == REPOSITORY / "build"


def test_all_are_chosen_where_nothing_is_named() -> None:
    assert chosen((), ()) == PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.name}-{program.flavor.name}")
def test_a_program_is_chosen_by_its_name_and_library(program: Program) -> None:
    assert chosen([program.flavor.name], [program.name]) == (program,)


@pytest.mark.parametrize(
    ("mpi", "only", "option", "known"),
    [
        ((), ["LAMMPS"], "--only", "lammps"),
        (["open"], (), "--mpi", "openmpi"),
        (["openmpi"], ["bagel"], "--only", "gromacs"),
    ],
)
def test_what_the_demo_does_not_have_is_an_error_that_names_what_it_has(
    mpi: list[str], only: list[str], option: str, known: str
) -> None:
    with pytest.raises(ThalwegError) as caught:
        chosen(mpi, only)
    assert caught.value.status == SETTINGS
    assert option in caught.value.message
    assert known in caught.value.remedy
