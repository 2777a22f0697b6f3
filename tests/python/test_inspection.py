# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI a program uses, on real executables; and that our reading of ELF files agrees with pyelftools."""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given, settings
from hypothesis import strategies as st

from support import Programs, examples
from thalweg.errors import NOT_EXECUTABLE, NOT_FOUND, PROGRAM, ThalwegError
from thalweg.programs.elf import loaded_libraries, read_elf
from thalweg.programs.families import MPIABI, MPICH, OPENMPI, family_of_library, loaded_mpi
from thalweg.programs.find import executable_path, find_program, inspect_program
from thalweg.programs.python import is_python


@pytest.mark.parametrize("path", [sys.executable, "/bin/sh", "/bin/ls", "/usr/bin/env", "/lib64/ld-linux-x86-64.so.2"])
def test_interpreters_are_those_that_pyelftools_reads(path: str) -> None:
    with open(path, "rb") as file:
        segments = [segment for segment in ELFFile(file).iter_segments() if segment["p_type"] == "PT_INTERP"]
        expected = segments[0].data().rstrip(b"\0").decode() if segments else ""
    elf = read_elf(path)
    assert elf is not None
    assert elf.interpreter == expected


@given(data=st.binary(max_size=200), start=st.sampled_from([b"", b"\x7fELF", b"\x7fELF\x02\x01", b"\x7fELF\x01\x02"]))
@settings(max_examples=examples(300))
def test_damaged_files_are_no_elf_and_no_failure(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, start: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(start + data)
    elf = read_elf(str(path))
    assert elf is None or isinstance(elf.interpreter, str)


def test_a_truncated_program_is_no_failure(programs: Programs, tmp_path: Path) -> None:
    whole = Path(programs.plain()).read_bytes()
    for length in (0, 3, 63, 64, 100, 500):
        path = tmp_path / "short"
        path.write_bytes(whole[:length])
        read_elf(str(path))


@pytest.mark.parametrize("family", [OPENMPI, MPICH], ids=lambda family: family.name)
def test_the_family_of_a_program(programs: Programs, environment: dict[str, str], family: object) -> None:
    program = inspect_program(programs.of(family.name), environment)  # type: ignore[attr-defined]
    assert program.mpi is not None
    assert program.mpi.family == family
    assert os.path.exists(program.mpi.library)


@pytest.mark.parametrize(
    ("soname", "family"),
    [(name, family) for family in (OPENMPI, MPICH, MPIABI) for name in family.sonames],
)
def test_every_soname_of_a_family_is_found_by_runpath(
    programs: Programs, environment: dict[str, str], soname: str, family: object
) -> None:
    program = inspect_program(programs.linked(f"linked-{soname}", soname), environment)
    assert program.mpi is not None
    assert program.mpi.family == family
    assert program.mpi.library == str(programs.library(soname) / soname)


def test_a_library_between_program_and_mpi_is_followed(
    programs: Programs, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = programs.library("libmpi.so.12")
    middle = programs.build(
        "libmiddle.so", "int middle(void) { return 0; }", "cc", "-shared", "-fPIC", "-Wl,--no-as-needed",
        f"-L{folder}", "-l:libmpi.so.12", f"-Wl,-rpath,{folder}",
    )  # fmt: skip
    source = "int middle(void);\nint main(void) { return middle(); }\n"
    file = tmp_path / "indirect.c"
    file.write_text(source)
    where = os.path.dirname(middle)
    indirect = programs.build("indirect", source, "cc", f"-L{where}", f"-Wl,-rpath,{where}", middle)
    program = inspect_program(indirect, environment)
    assert program.mpi is not None
    assert program.mpi.family == MPICH


def test_ld_library_path_decides_which_file_is_loaded(programs: Programs, environment: dict[str, str]) -> None:
    path = programs.linked("by_variable", "libmpi_abi.so.1", runpath=False)
    with pytest.raises(ThalwegError, match="needs libmpi_abi.so.1, which the dynamic linker does not find") as caught:
        inspect_program(path, environment)
    assert "LD_LIBRARY_PATH" in caught.value.remedy
    folder = str(programs.library("libmpi_abi.so.1"))
    program = inspect_program(path, environment | {"LD_LIBRARY_PATH": folder})
    assert program.mpi is not None
    assert program.mpi.library == f"{folder}/libmpi_abi.so.1"


@pytest.mark.parametrize("soname", ["libmpi.so.20", "libmpi.so.1", "libmpich.so.10", "libmpi_cray.so.12", "libmpt.so"])
def test_an_mpi_without_interposer_is_refused(programs: Programs, environment: dict[str, str], soname: str) -> None:
    with pytest.raises(ThalwegError, match=f"uses {soname}, an MPI that Thalweg does not support") as caught:
        inspect_program(programs.linked(f"foreign-{soname}", soname), environment)
    assert caught.value.status == PROGRAM
    assert "Open MPI 4 and 5 (libmpi.so.40)" in caught.value.remedy


def test_two_mpis_in_one_program_are_refused(programs: Programs, environment: dict[str, str]) -> None:
    with pytest.raises(ThalwegError, match="loads two MPI libraries: libmpi.so.40 and libmpi.so.12"):
        inspect_program(programs.linked("both", "libmpi.so.40", "libmpi.so.12"), environment)


def test_the_standard_abi_may_be_served_by_another_library() -> None:
    found = loaded_mpi("program", {"libmpi_abi.so.1": "/a/libmpi_abi.so.1", "libmpi.so.12": "/a/libmpi.so.12"})
    assert found is not None
    assert found.family == MPIABI


def test_64_bit_fortran_integers_are_refused() -> None:
    with pytest.raises(ThalwegError, match="64-bit Fortran integers"):
        loaded_mpi("program", {"libmpi_ilp64.so.4": "/a", "libmpi.so.12": "/b"})


def test_a_static_program_is_refused(programs: Programs, environment: dict[str, str]) -> None:
    with pytest.raises(ThalwegError, match="is statically linked, so nothing can be loaded into it") as caught:
        inspect_program(programs.static(), environment)
    assert caught.value.status == PROGRAM
    assert "without -static" in caught.value.remedy


def test_a_set_uid_program_is_refused(
    programs: Programs, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(ThalwegError, match=r"is set-uid .* ignores LD_PRELOAD") as caught:
        inspect_program(programs.set_uid(), environment)
    assert caught.value.status == PROGRAM


def test_a_program_without_mpi_has_none(programs: Programs, environment: dict[str, str]) -> None:
    assert inspect_program(programs.plain(), environment).mpi is None


def test_wrappers_are_looked_through(programs: Programs, environment: dict[str, str]) -> None:
    for wrapper in (["env", "A=1"], ["nice", "-n", "1"], ["env", "--", "nice"]):
        program = find_program([*wrapper, programs.mpich(), "argument"], environment)
        assert program is not None
        assert program.path == programs.mpich()


def test_containers_are_explained(environment: dict[str, str], programs: Programs) -> None:
    programs.script("apptainer", "#!/bin/sh\n")
    with pytest.raises(ThalwegError, match="starts a container") as caught:
        find_program(["apptainer", "exec", "image"], environment | {"PATH": f"{programs.folder}:{os.environ['PATH']}"})
    assert "thalweg run PROGRAM" in caught.value.remedy


def test_what_a_shell_would_say(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("1")
    for word, status in (("no-such-program", NOT_FOUND), (str(file), NOT_EXECUTABLE), (str(tmp_path), NOT_EXECUTABLE)):
        with pytest.raises(ThalwegError) as caught:
            executable_path(word, environment)
        assert caught.value.status == status


def test_python_is_known_by_its_names() -> None:
    assert is_python(sys.executable)
    assert is_python("/usr/bin/python3.11")
    assert not is_python("/usr/bin/pythonize")


@pytest.mark.parametrize(("soname", "family"), [("libmpi.so.12", MPICH), ("libmpi.so.40", OPENMPI)])
def test_python_uses_what_mpi4py_loads(
    programs: Programs, environment: dict[str, str], tmp_path: Path, soname: str, family: object
) -> None:
    """An mpi4py like the wheels': its own code loads a library, and the process shows which."""
    package = tmp_path / "mpi4py"
    package.mkdir()
    (package / "__init__.py").write_text("")
    library = programs.library(soname) / soname
    loader = f"import ctypes\ndef _get_mpiabi():\n    ctypes.CDLL({str(library)!r})\n"
    (package / "_mpiabi.py").write_text(loader)
    script = programs.script(f"script-{soname}.py", f"#!{sys.executable}\n")
    for words in ([sys.executable, "-c", "pass"], [script]):
        program = find_program(words, environment | {"PYTHONPATH": str(tmp_path)})
        assert program is not None
        assert program.mpi is not None
        assert (program.mpi.family, program.mpi.library) == (family, str(library))


def test_python_uses_what_mpi4py_is_linked_with(
    programs: Programs, environment: dict[str, str], tmp_path: Path
) -> None:
    """An mpi4py like Debian's: one extension module, linked with its MPI."""
    package = tmp_path / "mpi4py"
    package.mkdir()
    (package / "__init__.py").write_text("")
    folder = programs.library("libmpi.so.40")
    module = programs.build(
        "MPI.cpython.so", "int module;", "cc", "-shared", "-fPIC", "-Wl,--no-as-needed",
        f"-L{folder}", "-l:libmpi.so.40", f"-Wl,-rpath,{folder}",
    )  # fmt: skip
    os.symlink(module, package / f"MPI{EXTENSION_SUFFIXES[0]}")
    program = find_program([sys.executable], environment | {"PYTHONPATH": str(tmp_path)})
    assert program is not None
    assert program.mpi is not None
    assert program.mpi.family == OPENMPI


def test_python_whose_user_names_the_abi(programs: Programs, environment: dict[str, str], tmp_path: Path) -> None:
    """mpi4py's wheel looks for no library then: the extension module that it takes says which."""
    package = tmp_path / "mpi4py"
    package.mkdir()
    for family, soname in (("openmpi", "libmpi.so.40"), ("mpich", "libmpi.so.12")):
        folder = programs.library(soname)
        module = programs.build(
            f"extension-{family}.so", "int module;", "cc", "-shared", "-fPIC", "-Wl,--no-as-needed",
            f"-L{folder}", f"-l:{soname}", f"-Wl,-rpath,{folder}",
        )  # fmt: skip
        os.symlink(module, package / f"MPI.{family}{EXTENSION_SUFFIXES[0]}")
    (package / "_mpiabi.py").write_text(
        "import importlib.machinery, importlib.util, os\ndef _get_mpiabi():\n    return os.environ['MPI4PY_MPIABI']\n"
        "class Finder:\n    @classmethod\n    def find_spec(cls, name, path, target=None):\n"
        "        if name != 'mpi4py.MPI':\n            return None\n"
        "        file = f'{path[0]}/MPI.{_get_mpiabi()}{importlib.machinery.EXTENSION_SUFFIXES[0]}'\n"
        "        return importlib.util.spec_from_file_location(name, file)\n"
    )
    (package / "__init__.py").write_text("import sys\nfrom . import _mpiabi\nsys.meta_path.insert(0, _mpiabi.Finder)\n")
    for family, expected in (("openmpi", OPENMPI), ("mpich", MPICH)):
        variables = environment | {"PYTHONPATH": str(tmp_path), "MPI4PY_MPIABI": family}
        program = find_program([sys.executable], variables)
        assert program is not None
        assert program.mpi is not None
        assert program.mpi.family == expected


def test_python_whose_mpi4py_finds_no_library_is_explained(environment: dict[str, str], tmp_path: Path) -> None:
    package = tmp_path / "mpi4py"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_mpiabi.py").write_text("def _get_mpiabi():\n    raise RuntimeError('cannot load MPI library')\n")
    with pytest.raises(ThalwegError, match="finds no MPI library: cannot load MPI library") as caught:
        find_program([sys.executable], environment | {"PYTHONPATH": str(tmp_path)})
    assert "MPI4PY_LIBMPI" in caught.value.remedy


def test_families_of_libraries_by_file_name() -> None:
    assert family_of_library("/opt/lib/libmpi.so.12.0.0") == MPICH
    assert family_of_library("/opt/lib/libmpi.so.40.30.4") == OPENMPI
    assert family_of_library("/opt/lib/libmpi.so.120") is None


def test_the_linker_only_lists(programs: Programs, environment: dict[str, str]) -> None:
    elf = read_elf(programs.plain())
    assert elf is not None
    assert "libc.so.6" in loaded_libraries(elf, environment)


@pytest.mark.parametrize("runtime", ["libasan.so.8", "libtsan.so.2", "libclang_rt.asan-x86_64.so"])
def test_a_sanitizer_comes_before_all_other_libraries(
    programs: Programs, environment: dict[str, str], runtime: str
) -> None:
    path = programs.linked(f"sanitized-{runtime}", "libmpi.so.12", runtime)
    program = inspect_program(path, environment)
    assert program.sanitizer == str(programs.library(runtime) / runtime)


def test_programs_without_a_sanitizer_need_nothing_first(programs: Programs, environment: dict[str, str]) -> None:
    assert not inspect_program(programs.mpich(), environment).sanitizer
