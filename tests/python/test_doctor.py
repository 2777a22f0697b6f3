# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says: each part on a line, and a part that is broken hides no other one."""

import json
from pathlib import Path

import pytest

from support import Command, Programs
from thalweg import _core
from thalweg.doctor import findings
from thalweg.health import host, mpis
from thalweg.health.finding import FAIL, NONE, OK, WARN, Finding, lines_of

SUBJECTS = (
    "Thalweg", "Python", "Slurm", "settings", "tuning", "machine", "folders", "cores", "memory", "shared memory",
    "ptrace", "LD_PRELOAD", "agent",
)  # fmt: skip


def of(found: list[Finding], subject: str) -> list[Finding]:
    return [one for one in found if one.subject == subject]


def test_every_part_is_on_a_line(thalweg: Command) -> None:
    done = thalweg("doctor")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert [line for subject in SUBJECTS for line in lines if line[6:].startswith(subject)]
    assert {line.split()[0] for line in lines} <= {OK, NONE, WARN}
    assert any(line.startswith("ok") and "libmpi.so.40" in line for line in lines)
    assert any(line.endswith("-> thalweg machine probe") for line in lines)


def test_json_has_the_same(thalweg: Command) -> None:
    found = json.loads(thalweg("doctor", "--json").stdout)["findings"]
    assert {one["subject"] for one in found} >= set(SUBJECTS)
    assert all(set(one) == {"state", "subject", "text", "remedy"} for one in found)


def test_a_broken_file_fails_and_hides_nothing(thalweg: Command, tmp_path: Path) -> None:
    broken = tmp_path / "tuning.toml"
    broken.write_text("= no TOML")
    done = thalweg("doctor", variables={"THALWEG_TUNING": str(broken), "THALWEG_LERN": "off"})
    assert done.returncode == 1
    states = {line[6:].split("  ")[0]: line.split()[0] for line in done.stdout.splitlines()}
    assert states["tuning"] == FAIL
    assert states["agent"] == NONE
    assert "THALWEG_LERN is no variable of Thalweg's; did you mean THALWEG_LEARN?" in done.stdout


def test_a_bare_environment_is_looked_at_whole(tmp_path: Path) -> None:
    found = findings({"PATH": str(tmp_path), "HOME": str(tmp_path)}, str(tmp_path))
    states = {one.subject: one.state for one in found}
    assert states["Slurm"] == NONE
    assert set(SUBJECTS) <= set(states)
    assert len(lines_of(found)) == len(found)


TUNED = """
[[machine]]
processor = '{processor}'
cores = 2
quota = 'none'
kernel = '{kernel}'
mpi = 'Open MPI v4.1.4'
transport = 'default'
nodes = 1
ranks_per_node = '{ranks}'

[[machine.allreduce]]
ranks = {ranks}
nodes = 1
bytes = "8KiB"
use = 'native'
time = "2 us"
native = "2 us"
trials = 5
source = 'tune'
"""


@pytest.mark.parametrize("is_here", [False, True])
def test_the_tuning_file_is_said_by_rank_counts(tmp_path: Path, *, is_here: bool) -> None:
    file = tmp_path / "tuning.toml"
    here = _core.local_fingerprint({})
    processors = {2: here.processor, 4: here.processor} if is_here else {}
    tuned = {8: "another"} | processors
    parts = [TUNED.format(processor=name, kernel=here.kernel, ranks=ranks) for ranks, name in tuned.items()]
    file.write_text("format = 1\n" + "".join(parts))
    found = of(findings({"THALWEG_TUNING": str(file)}, str(tmp_path)), "tuning")[0]
    if is_here:
        assert (found.state, found.text) == (OK, f"{file}: 3 picks; here for ranks 2 on 1 node, 4 on 1 node")
    else:
        assert (found.state, found.remedy) == (WARN, "thalweg tune -n RANKS")


def test_libraries_are_found_beside_launchers_and_broken_ones_fail(programs: Programs, tmp_path: Path) -> None:
    """One that a program would load must work; others are named."""
    prefix = tmp_path / "opt"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "bin").mkdir()
    (prefix / "bin" / "mpicc").write_text("#!/bin/sh\n")
    (prefix / "bin" / "mpicc").chmod(0o755)
    (prefix / "lib" / "libmpi.so.40").write_text("no library")
    (prefix / "lib" / "libmpi.so.20").write_text("an earlier one")
    found = mpis.libraries({"PATH": f"{prefix}/bin:/usr/sbin"})
    mine = [one for one in found if str(prefix) in one.text]
    assert [(one.state, one.subject) for one in mine] == [(WARN, "Open MPI"), (NONE, "MPI")]
    assert "does not load" in mine[0].text
    first = mpis.libraries({"PATH": "/usr/sbin", "LD_LIBRARY_PATH": str(prefix / "lib")})
    assert of(first, "Open MPI")[0].state == FAIL
    # One that answers to nothing, as if built wrongly.
    library = programs.library("libmpi.so.12")
    assert of(mpis.libraries({"PATH": "", "LD_LIBRARY_PATH": str(library)}), "MPICH or Intel MPI")[0].state == FAIL


def test_without_any_mpi_it_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mpis, "_in_cache", lambda _: [])
    monkeypatch.setattr(mpis, "_INSTALLED", (str(tmp_path),))
    (tmp_path / "openmpi").mkdir()
    found = mpis.libraries({"PATH": "", "MODULEPATH": f"{tmp_path}:/nowhere"})
    assert found[-1].state == FAIL
    assert "openmpi" in found[-2].text


def test_folders_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    closed = "/proc/self"
    found = of(findings({"HOME": str(tmp_path), "XDG_DATA_HOME": closed}, str(tmp_path)), "folders")[0]
    assert (found.state, closed in found.text) == (WARN, True)
    assert found.remedy.startswith("set XDG_DATA_HOME to")
    assert of(findings({"HOME": str(tmp_path)}, str(tmp_path)), "folders")[0].state == OK


LIMITS = {
    "second version": (
        "0::/a/b\n",
        "1 0 0:1 / {tree} rw shared:1 - cgroup2 cgroup2 rw\n",
        {"a/b/memory.max": "max", "a/memory.max": "104857600", "a/cpu.max": "50000 100000"},
        ("grants 0.5", "grants 100 MiB"),
    ),
    "first version": (
        "4:memory:/job\n3:cpu,cpuacct:/container/job\n0::/\n",
        (
            "1 0 0:1 / {tree}/memory rw - cgroup cgroup rw,memory\n"
            "2 0 0:2 /container {tree}/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
            "3 0 0:3 / /tmp rw - tmpfs tmpfs rw\n"
        ),
        {
            "memory/job/memory.limit_in_bytes": "209715200",
            "cpu,cpuacct/job/cpu.cfs_quota_us": "25000",
            "cpu,cpuacct/job/cpu.cfs_period_us": "100000",
        },
        ("grants 0.25", "grants 200 MiB"),
    ),
}


@pytest.mark.parametrize("version", LIMITS)
def test_limits_of_control_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str) -> None:
    groups, mounts, files, granted = LIMITS[version]
    (tmp_path / "mounts").write_text(mounts.format(tree=tmp_path))
    (tmp_path / "own").write_text(groups)
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(value + "\n")
    monkeypatch.setattr(host, "_MOUNTS", str(tmp_path / "mounts"))
    monkeypatch.setattr(host, "_OWN_GROUPS", str(tmp_path / "own"))
    for found, said in zip((host.cores()[0], host.memory()[0]), granted, strict=True):
        assert (found.state, found.text.endswith(said)) == (WARN, True), found


@pytest.mark.parametrize(("scope", "state"), [("0", OK), ("1", OK), ("2", WARN), ("3", WARN)])
def test_reading_each_others_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scope: str, state: str) -> None:
    (tmp_path / "scope").write_text(scope + "\n")
    monkeypatch.setattr(host, "_SCOPE", str(tmp_path / "scope"))
    assert host.ptrace()[0].state == state
