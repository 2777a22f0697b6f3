# SPDX-License-Identifier: BSD-3-Clause
"""What a wheel has of the compiled libraries: each once, and without what only debuggers read."""

import os
import subprocess
import tomllib
from pathlib import Path

import pathspec
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BYTES_MAX = 80_000_000
"""Three interposers of 6 MB, ten libraries of 2 MB and the extension; with what debuggers read it was 430 MB."""


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


def test_it_is_small(installed: dict[str, Path]) -> None:
    sizes = {name: path.stat().st_size for name, path in installed.items()}
    assert sum(sizes.values()) < BYTES_MAX, sorted(sizes.items(), key=lambda item: -item[1])[:10]
