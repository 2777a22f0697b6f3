# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg nic check` says of a switch and of a router."""

import json
import subprocess
from pathlib import Path

import pytest

from thalweg.nic import check


def _said(monkeypatch: pytest.MonkeyPatch, folder: Path, addresses: list[str], role: str) -> dict[str, bool]:
    """Have a device `port0` with these addresses in a folder that stands for the kernel's."""
    printed = json.dumps([{"addr_info": [{"local": address} for address in addresses]}])
    monkeypatch.setattr(check, "_DEVICES", folder)
    finished = subprocess.CompletedProcess([], 0, printed)
    monkeypatch.setattr("thalweg.nic.check.subprocess.run", lambda *_, **__: finished)
    (folder / "port0").mkdir(exist_ok=True)
    (folder / "port0" / "operstate").write_text("up")
    return {finding.text: finding.is_good for finding in check.findings("port0", role)}


def test_a_switch_is_a_bridge_with_an_address_and_ports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = _said(monkeypatch, tmp_path, [], "switch")
    assert said["device port0 is no bridge: name one, or serve a router with --router"] is False
    assert said["device port0 has no address that hosts can send to: ip address add"] is False
    (tmp_path / "port0" / "bridge").mkdir()
    assert _said(monkeypatch, tmp_path, [], "switch")["bridge port0 has no ports"] is False
    (tmp_path / "port0" / "brif" / "h0").mkdir(parents=True)
    said = _said(monkeypatch, tmp_path, ["10.0.0.250"], "switch")
    assert said["bridge port0 has h0 ports"]
    assert said["device port0 has the address 10.0.0.250"]


def test_a_routers_own_address_is_not_that_of_every_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = _said(monkeypatch, tmp_path, ["127.0.0.1"], "router")
    assert said["device port0 has no address that hosts can send to: ip address add"] is False
    assert _said(monkeypatch, tmp_path, ["127.0.0.1", "10.0.1.250"], "router")[
        "device port0 has the address 10.0.1.250"
    ]


def test_a_host_needs_neither(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not [text for text in _said(monkeypatch, tmp_path, [], "") if "address that" in text or "routes" in text]
