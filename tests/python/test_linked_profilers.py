# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that programs are linked with to stand in for MPI's functions: they go on seeing the program's calls."""

import re
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from support import CALLER_SOURCE, FOREIGN_SOURCE, Programs
from thalweg.launch import plan as planning
from thalweg.launch.arguments import read_arguments
from thalweg.launch.plan import Plan, make_plan
from thalweg.launch.preloads import ADDED
from thalweg.programs.elf import defined_functions, loaded_libraries, read_elf
from thalweg.programs.families import MPICH
from thalweg.programs.find import find_program, inspect_program
from thalweg.settings.layers import effective_settings

MPI = "libmpi.so.12"


@pytest.fixture(autouse=True)
def interposers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "interposer", lambda family: f"/lib/{family.name}.so")


def tool(programs: Programs, name: str, source: str = FOREIGN_SOURCE) -> str:
    return programs.build(name, source, "cc", "-shared", "-fPIC")


def linked(programs: Programs, name: str, *libraries: str) -> str:
    """Build a program that is linked with these libraries, named by their paths, in this order."""
    folder = programs.library(MPI)
    return programs.build(name, CALLER_SOURCE, "cc", "-Wl,--no-as-needed", f"-Wl,-rpath,{folder}", *libraries)


def plan_for(environment: dict[str, str], *words: str) -> Plan:
    arguments = read_arguments(words)
    return make_plan(arguments, effective_settings(arguments.flags, environment, "/nowhere"), environment)


def test_a_profiler_that_is_linked_before_mpi_is_found(programs: Programs, environment: dict[str, str]) -> None:
    mpi, first, second = str(programs.library(MPI) / MPI), tool(programs, "first.so"), tool(programs, "second.so")
    own = tool(programs, "own.so", "int MPI_Own_function(void) { return 0; }\n")
    path = linked(programs, "profiled", own, second, first, mpi)
    assert inspect_program(path, environment).wrappers == (second, first)


def test_libraries_that_stand_in_for_nothing_are_left_where_they_are(
    programs: Programs, environment: dict[str, str]
) -> None:
    mpi, behind = str(programs.library(MPI) / MPI), tool(programs, "behind.so")
    caller = tool(programs, "caller.so", "int MPI_Init(void);\nint start(void) { return MPI_Init(); }\n")
    assert inspect_program(linked(programs, "called", caller, mpi, behind), environment).wrappers == ()
    assert inspect_program(programs.openmpi(), environment).wrappers == ()


def test_libraries_are_listed_in_the_order_of_their_search(programs: Programs, environment: dict[str, str]) -> None:
    mpi, by_path = str(programs.library(MPI) / MPI), tool(programs, "by_path.so")
    elf = read_elf(linked(programs, "ordered", by_path, mpi))
    assert elf is not None
    libraries = loaded_libraries(elf, environment)
    assert list(libraries)[:2] == ["by_path.so", MPI]
    assert libraries["by_path.so"] == by_path


def test_a_linked_profiler_comes_between_the_users_libraries_and_ours(
    programs: Programs, environment: dict[str, str]
) -> None:
    mpi, profiler = str(programs.library(MPI) / MPI), tool(programs, "profiler.so")
    path = linked(programs, "with_profiler", profiler, mpi)
    own = environment | {"LD_PRELOAD": "/own.so"}
    assert plan_for(own, path).environment["LD_PRELOAD"] == f"/own.so:{profiler}:/lib/mpich.so"
    launched = plan_for(own, "mpiexec.hydra", "-n", "2", path)
    assert f"/own.so:{profiler}:/lib/mpich.so" in launched.command
    assert launched.environment[ADDED] == profiler
    assert not launched.remarks
    again = plan_for(environment | {"LD_PRELOAD": profiler}, path)
    assert again.environment["LD_PRELOAD"] == f"{profiler}:/lib/mpich.so"
    assert ADDED not in again.environment
    assert "LD_PRELOAD" not in plan_for(environment, "--disable", path).environment


def test_one_programs_profiler_is_not_loaded_into_the_jobs_others(
    programs: Programs, environment: dict[str, str]
) -> None:
    mpi, profiler = str(programs.library(MPI) / MPI), tool(programs, "profiler.so")
    with_one, without = linked(programs, "with_profiler", profiler, mpi), linked(programs, "without", mpi)
    plan = plan_for(environment, "mpiexec.hydra", "-n", "2", with_one, ":", "-n", "1", without)
    assert profiler not in " ".join(plan.command)
    assert [remark for remark in plan.remarks if remark.startswith("profiler.so stands in for MPI functions")]


def test_a_library_among_the_words_is_no_program(programs: Programs, environment: dict[str, str]) -> None:
    """As the value of an option for variables (-genv LD_PRELOAD, for instance), it is looked past."""
    found = find_program(["-genv", "LD_PRELOAD", tool(programs, "profiler.so"), programs.mpich()], environment)
    assert found is not None
    assert found.path == programs.mpich()
    assert found.mpi is not None
    assert found.mpi.family == MPICH


@pytest.mark.parametrize("path", [sys.executable, "/bin/sh", "/lib64/ld-linux-x86-64.so.2"])
def test_functions_are_those_that_pyelftools_reads(path: str) -> None:
    with open(path, "rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        symbols = [symbol for symbol in table.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"]
    names = {symbol.name for symbol in symbols if symbol["st_info"]["type"] in ("STT_FUNC", "STT_LOOS")}
    for start in ("_", "Py", "mem"):
        expected = {name for name in names if re.fullmatch(rf"{start}\w+", name)}
        assert defined_functions(path, start) == expected


def test_damaged_libraries_define_nothing_and_are_no_failure(programs: Programs, tmp_path: Path) -> None:
    whole = Path(tool(programs, "profiler.so")).read_bytes()
    assert defined_functions(tool(programs, "profiler.so"), "MPI_") == {"MPI_Init"}
    path = tmp_path / "short"
    for length in (0, 5, 63, 64, 500, len(whole) // 2):
        path.write_bytes(whole[:length])
        assert defined_functions(str(path), "MPI_") == set()
    assert defined_functions(str(tmp_path / "none"), "MPI_") == set()
