# SPDX-License-Identifier: BSD-3-Clause
"""The units of systemd that an installation has: what they start is what the command takes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.cli import application
from thalweg.nic import agent

ROOT = Path(__file__).parents[2]
ROLES = {
    "": (["--device", "eth0"], ("eth0", "best", "", "")),
    "-switch": (["--switch", "br0"], ("br0", "best", "self", "")),
    "-router": (["--router", "lo"], ("lo/all", "best", "self", "")),
    "-aggregate": (["--aggregate", "--device", "eth0"], ("eth0", "best", "self", "")),
}


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    words = ["cmake", "--install", str(ROOT / "build"), "--component", "nic_units", "--prefix", str(folder)]
    subprocess.run(words, check=True, capture_output=True)
    found = folder / "lib" / "systemd" / "system"
    if not found.exists():
        pytest.skip("built without the agent: it needs clang and libbpf")
    (folder / "bin").mkdir()
    shutil.copy("/bin/true", folder / "bin" / "thalweg")
    return found


@pytest.mark.parametrize("role", ROLES)
def test_units_start_what_the_command_takes(units: Path, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, served = ROLES[role]
    text = (units / f"thalweg-nic{role}@.service").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    started = line.replace("%I", words[-1]).split()[1:]
    assert started == ["nic", "serve", *words]
    called = []
    monkeypatch.setattr(agent, "serve", lambda *given: called.append(given))
    assert application(started) == 0
    assert called == [served]
    assert "@" not in text.replace(f"thalweg-nic{role}@", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
@pytest.mark.parametrize("role", ROLES)
def test_systemd_takes_the_units(units: Path, role: str) -> None:
    words = ["systemd-analyze", "verify", "--man=no", str(units / f"thalweg-nic{role}@.service")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
