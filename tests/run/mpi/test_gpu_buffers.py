# SPDX-License-Identifier: BSD-3-Clause
"""Device memory is the library's alone: Thalweg's own strategies never touch it."""

import json
from pathlib import Path

import pytest
from jobs import NATIVE, PROGRAMS, PROGRAMS_BUILT, Mode, Result, build, compile_with, interposer, run
from mpis import Mpi, named

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
MIXED = pytest.mark.parametrize("devices", [[], ["1"], ["0", "2"]], ids=["all", "one rank", "two ranks"])
REASON = "buffers that may be in a GPU's memory"
USE = "allreduce=recursive_doubling;broadcast=knomial;allgather=ring;barrier=dissemination"


def _shared(mpi: Mpi, source: str, target: str) -> Path:
    path, made = PROGRAMS / "gpu" / source, PROGRAMS_BUILT / mpi.name / target
    compile_with([*mpi.compile, "-shared", "-fPIC", "-O1", str(path), "-o", str(made), *mpi.link], made, [path])
    return made


def _run(mpi: Mpi, words: list[str], settings: dict[str, str], report: Path, *, preload: bool = True) -> Result:
    """Run the program where only some of the library's calls may touch a GPU's memory."""
    aware = str(_shared(mpi, "aware.c", "aware.so"))
    runtime = str(_shared(mpi, "runtime.c", "libcuda.so.1"))
    program = [str(build(mpi, "gpu_buffers")), runtime, *words]
    preloads = [str(interposer(mpi.family)), aware] if preload else [aware]
    mode = Mode("gpu", settings={})
    variables = {"THALWEG_SUMMARY": "1", "THALWEG_REPORT": str(report), **settings} if preload else {}
    return run(mpi, 3, program, mode, environment={"LD_PRELOAD": ":".join(preloads), **variables})


def _ran_on(report: Path) -> set[tuple[str, str]]:
    sites = json.loads(report.read_text())["calls"]
    return {
        (ending["strategy"], ending.get("passed_on_because", ""))
        for site in sites
        if site["function"] in {"MPI_Allreduce", "MPI_Bcast", "MPI_Allgather"}
        for ending in site["ran_on"]
    }


@MIXED
@DEBIAN
def test_natively(name: str, devices: list[str], tmp_path: Path) -> None:
    """The program is right without Thalweg."""
    result = _run(named(name), ["early", *devices], {}, tmp_path / "report.json", preload=False)
    assert result.status == 0, result.explain()


@MIXED
@DEBIAN
def test_runtime_at_the_start(name: str, devices: list[str], tmp_path: Path) -> None:
    """Where a GPU's runtime is loaded when MPI starts, calls with data are the library's, and the report says so."""
    report = tmp_path / "report.json"
    result = _run(named(name), ["early", *devices], {"THALWEG_USE": USE}, report)
    assert result.status == 0, result.explain()
    assert _ran_on(report) == {("native", REASON)}
    assert "rank 0 has libcuda.so loaded" in result.err
    assert "--gpu-buffers no" in result.err


@pytest.mark.parametrize(
    ("way", "wait"),
    [
        ("report", "yield"),
        ("short way", "spin"),
        pytest.param("report", "spin", marks=pytest.mark.exhaustive),
        pytest.param("short way", "yield", marks=pytest.mark.exhaustive),
    ],
)
@MIXED
@DEBIAN
def test_runtime_loaded_later(name: str, devices: list[str], way: str, wait: str, tmp_path: Path) -> None:
    """Where it is loaded later, strategies run the calls, and the library packs what is in device memory."""
    file = tmp_path / "report.json"
    settings = {"THALWEG_USE": USE, "THALWEG_WAIT": wait, "THALWEG_SUMMARY": "0"}
    if way == "short way":
        settings["THALWEG_REPORT"] = ""
    result = _run(named(name), ["late", *devices], settings, file)
    assert result.status == 0, result.explain()
    if way == "report":
        assert _ran_on(file) == {("recursive_doubling", ""), ("knomial", ""), ("ring", "")}


@DEBIAN
def test_the_user_knows_better(name: str, tmp_path: Path) -> None:
    """The setting decides for those who know: that buffers are the host's, or that some are not."""
    report = tmp_path / "report.json"
    host = ["early", "99"]
    result = _run(named(name), host, {"THALWEG_USE": USE, "THALWEG_GPU_BUFFERS": "no"}, report)
    assert result.status == 0, result.explain()
    assert ("native", REASON) not in _ran_on(report)
    result = _run(named(name), ["late"], {"THALWEG_USE": USE, "THALWEG_GPU_BUFFERS": "yes"}, report)
    assert result.status == 0, result.explain()
    assert _ran_on(report) == {("native", REASON)}


@DEBIAN
def test_programs_without_gpus(name: str, tmp_path: Path) -> None:
    """The machine's MPI loads no GPU's runtime by itself."""
    mpi = named(name)
    result = run(
        mpi,
        2,
        [str(build(mpi, "late_end"))],
        NATIVE,
        environment={"LD_PRELOAD": str(interposer(mpi.family)), "THALWEG_REPORT": str(tmp_path / "report.json")},
    )
    assert result.status == 0, result.explain()
    assert not json.loads((tmp_path / "report.json").read_text())["gpu_memory"]
