# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says: each part on a line, and a part that is broken hides no other one."""

import json
from pathlib import Path

from support import Command
from thalweg.doctor import FAIL, NONE, OK, WARN, findings, lines_of

SUBJECTS = ("Thalweg", "Slurm", "settings", "tuning", "machine", "cores", "shared memory", "LD_PRELOAD", "agent")


def test_every_part_is_on_a_line(thalweg: Command) -> None:
    done = thalweg("doctor")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert [line for subject in SUBJECTS for line in lines if line[6:].startswith(subject)]
    assert {line.split()[0] for line in lines} <= {OK, NONE, WARN}
    assert any(line.startswith("ok") and "libmpi.so.40" in line for line in lines)
    assert any(line.endswith("-> thalweg machine probe") for line in lines)


def test_json_has_the_same(thalweg: Command) -> None:
    found = json.loads(thalweg("doctor", "--json").stdout)
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
