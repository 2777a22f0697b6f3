# SPDX-License-Identifier: BSD-3-Clause
"""What a wheel has of what is compiled: each file once, without what only debuggers read, for old systems too."""

import os
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pathspec
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PACKED_BYTES_MAX = 25_000_000 - 1_000_000
"""Of a wheel, without the sources in Python. Three interposers, ten libraries and the extension have 20 MB."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Install as for a wheel, and leave out what the wheel leaves out; files by their paths in it."""
    folder = tmp_path_factory.mktemp("wheel")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    words = ["cmake", "--install", str(BUILD), "--prefix", str(folder)]
    words += [word for component in settings["install"]["components"] for word in ("--component", component)]
    subprocess.run([*words, *(["--strip"] if settings["install"]["strip"] else [])], check=True, capture_output=True)
    left_out = pathspec.GitIgnoreSpec.from_lines(settings["wheel"]["exclude"])
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in files.items() if not left_out.match_file(name)}


def test_each_library_is_there_once(installed: dict[str, Path]) -> None:
    real = [os.path.realpath(path) for path in installed.values()]
    assert len(real) == len(set(real))
    names = {Path(name).name for name in installed}
    for family in ("openmpi", "mpich"):
        assert {f"libthalweg-{family}.so", f"libthalweg-world-{family}.so"} <= names
        for library in ("team", "stream", "balance", "place", "objects"):
            assert f"libthalweg-{library}-{family}.so.0.2" in names


def test_it_is_small(installed: dict[str, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in installed.items():
            file.write(path, name)
        sizes = {entry.filename: entry.compress_size for entry in file.infolist()}
    assert sum(sizes.values()) < PACKED_BYTES_MAX, sorted(sizes.items(), key=lambda item: -item[1])[:10]


def test_it_runs_with_c_libraries_from_2_28_on(installed: dict[str, Path]) -> None:
    """As manylinux_2_28 has it, and whatever C++ library is there: none is asked for.

    The unwinder of the process is asked for where exceptions pass through others' functions, but not by interposers.
    """
    newest: dict[str, tuple[int, ...]] = {}
    wanted: dict[str, set[str]] = {}
    for name, path in installed.items():
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF" or name.endswith(".bpf.o"):
                continue
            versions = ELFFile(file).get_section_by_name(".gnu.version_r")
            assert isinstance(versions, GNUVerNeedSection), name
            for library, symbols in versions.iter_versions():
                wanted.setdefault(name, set()).add(str(library.name))
                numbers = [symbol.name.removeprefix("GLIBC_") for symbol in symbols if "GLIBC_" in symbol.name]
                newest[name] = max([newest.get(name, (0,)), *(tuple(map(int, one.split("."))) for one in numbers)])
    assert any("libthalweg-openmpi.so" in name for name in newest)
    assert {name: version for name, version in newest.items() if version > (2, 28)} == {}
    assert not [name for name, asked in wanted.items() if "libstdc++.so.6" in asked]
    unwinding = {name.rpartition("/")[2] for name, asked in wanted.items() if "libgcc_s.so.1" in asked}
    assert "_core.abi3.so" in unwinding
    assert not [name for name in unwinding if re.fullmatch(r"libthalweg-(openmpi|mpich|mpiabi)\.so", name)]


def test_one_extension_serves_all_pythons(installed: dict[str, Path]) -> None:
    assert [name for name in installed if "/_core." in name] == ["thalweg/_core.abi3.so"]
