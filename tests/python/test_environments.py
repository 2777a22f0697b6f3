# SPDX-License-Identifier: BSD-3-Clause
"""The wheel works where it was not built: with other Pythons and systems, for other users, without a compiler."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support import plain_environment

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.12", "3.13", "3.14")
NOBODY = "65534"
IMPORT_ALL = """
import importlib, pkgutil, thalweg
for module in pkgutil.walk_packages(thalweg.__path__, "thalweg."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
TRIAL = "thalweg/lib/thalweg-trial-"

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("wheel")]


def output_of(words: list[str], environment: Mapping[str, str]) -> str:
    """Run a command, and give all that it says; fails with that where the command does."""
    none = subprocess.DEVNULL
    done = subprocess.run(words, env=environment, stdin=none, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Make a folder that every user may read."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> str:
    return output_of([str(ROOT / "scripts" / "wheel"), str(folder / "wheel")], os.environ).split()[-1]


@pytest.fixture(scope="module")
def environment(folder: Path) -> dict[str, str]:
    """Leave the machine's compilers out, and what users keep."""
    none = folder / "no_compiler"
    none.mkdir()
    for name in ("cc", "gcc", "g++", "mpicc", "mpicc.openmpi", "mpicc.mpich"):
        (none / name).write_text("#!/bin/sh\nexit 77\n")
        (none / name).chmod(0o755)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "THALWEG_"))}
    kept = {f"XDG_{kind}_HOME": str(folder / "home" / kind) for kind in ("CACHE", "DATA", "CONFIG", "STATE")}
    return {**variables, **plain_environment(), **kept, "PATH": f"{none}:{variables['PATH']}"}


def install(wheel: str, python: str, folder: Path) -> Path:
    """Give the command of a new environment."""
    output_of([python, "-m", "venv", str(folder)], os.environ)
    output_of([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile", wheel], os.environ)
    return folder / "bin" / "thalweg"


def trial(thalweg: Path, soname: str) -> list[str]:
    """Give the words of a job of two ranks."""
    program = next(thalweg.parents[1].glob(f"lib/python*/site-packages/{TRIAL}{soname}"))
    return [str(thalweg), "run", "-n", "2", "--", str(program)]


@pytest.mark.parametrize("version", PYTHONS)
def test_other_pythons(version: str, wheel: str, folder: Path, environment: dict[str, str]) -> None:
    homes = [Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"), Path("/usr/bin").glob(f"python{version}")]
    python = next((path for paths in homes for path in paths), None)
    if python is None:
        pytest.skip(f"no Python {version} is here")
    thalweg = install(wheel, str(python), folder / version)
    output_of([str(thalweg.parent / "python"), "-c", IMPORT_ALL], environment)
    assert "dissemination" in output_of([str(thalweg), "strategies"], environment)
    for family in ("openmpi", "mpich"):
        words = [str(thalweg), "tune", "-n", "2", "--ops", "barrier", "--budget", "5s", "--mpi", family]
        assert "barrier" in output_of(words, environment)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_another_user_who_may_not_write_at_home(wheel: str, folder: Path, environment: dict[str, str]) -> None:
    thalweg = install(wheel, "/usr/bin/python3", folder / "user")
    home = folder / "read_only"
    home.mkdir(mode=0o555)
    variables = {name: value for name, value in environment.items() if not name.startswith("XDG_")}
    for soname in ("libmpi.so.40", "libmpich.so.12"):
        words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *trial(thalweg, soname)]
        said = output_of(words, {**variables, "HOME": str(home), "TMPDIR": "/tmp"})
        assert "MPI_Gather" in said
        assert '"hosts"' in said
    assert list(home.iterdir()) == []


def test_without_the_extension_programs_run(wheel: str, folder: Path, environment: dict[str, str]) -> None:
    """As where no package has nanobind's part for a Python; all else says what is missing."""
    thalweg = install(wheel, sys.executable, folder / "bare")
    next(thalweg.parents[1].glob("lib/python*/site-packages/thalweg/_core.abi3.so")).unlink()
    assert "MPI_Gather" in output_of(trial(thalweg, "libmpi.so.40"), environment)
    done = subprocess.run([str(thalweg), "strategies"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode != 0
    assert "the compiled core of Thalweg cannot be loaded" in done.stderr


@pytest.fixture(scope="module")
def release(request: pytest.FixtureRequest, folder: Path) -> Path:
    """Make a root folder of another release of Debian, with its MPI."""
    name, packages = request.param
    if os.getuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    root = folder / str(name)
    output_of(["debootstrap", "--variant=minbase", f"--include={packages}", str(name), str(root)], os.environ)
    return root


def in_release(root: Path, script: str) -> str:
    """Run a shell's words in the other root folder."""
    (root / "srv").mkdir(exist_ok=True)
    (root / "srv" / "script").write_text(f"set -e\ncd /srv\n{script}\n")
    mounts = f"mount -t proc proc {root}/proc; mount --rbind /sys {root}/sys; mount --rbind /dev {root}/dev"
    run = f"{mounts}; exec chroot {root} sh /srv/script"
    variables = {"PATH": os.environ["PATH"], "HOME": "/srv", "PYTHONPATH": "/opt/thalweg"}
    return output_of(["unshare", "--mount", "--pid", "--fork", "sh", "-c", run], {**variables, **plain_environment()})


def unpack(wheel: str, root: Path, version: str) -> None:
    """Install for that system's Python, from here: pip there need not reach anything."""
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--target",
        str(root / "opt" / "thalweg"),
    ]
    words += ["--python-version", version, "--only-binary", ":all:", "--platform", "manylinux_2_28_x86_64", wheel]
    output_of(words, os.environ)


@pytest.mark.parametrize("release", [("trixie", "python3,openmpi-bin,mpich")], indirect=True)
def test_a_newer_release(release: Path, wheel: str) -> None:
    """Debian 13: glibc 2.41, Python 3.13, Open MPI 5 and MPICH 4.2, and no compiler."""
    unpack(wheel, release, "3.13")
    for family in ("openmpi", "mpich"):
        said = in_release(release, f"python3 -m thalweg tune -n 2 --ops barrier --budget 5s --mpi {family}")
        assert "geometric mean" in said
    assert "0.2.0" in in_release(release, "python3 -m thalweg --version")


@pytest.mark.parametrize("release", [("bullseye", "openmpi-bin")], indirect=True)
def test_an_older_c_library(release: Path, wheel: str) -> None:
    """Debian 11: glibc 2.31. Its Python is too old for the command, so the interposer is loaded by hand."""
    unpack(wheel, release, "3.13")
    libraries = "/opt/thalweg/thalweg/lib"
    variables = f"-x LD_PRELOAD={libraries}/libthalweg-openmpi.so -x THALWEG_REPORT=/srv/run.json"
    said = in_release(
        release, f"mpirun.openmpi -n 2 {variables} {libraries}/thalweg-trial-libmpi.so.40 </dev/null\ncat run.json"
    )
    assert "MPI_Gather" in said
    said = in_release(release, f"{libraries}/thalweg-unfinished 2>&1 || true")
    assert "usage: thalweg-unfinished" in said  # written by what its constructors made
