# SPDX-License-Identifier: BSD-3-Clause
"""The file by which an administrator limits what users do with the network device."""

import ipaddress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.errors import ThalwegError
from thalweg.nic.agent import command
from thalweg.nic.limits import Limits, limits_of_host, read_limits

NETWORKS = st.builds(
    lambda address, bits: str(ipaddress.IPv4Network((address, bits), strict=False)),
    st.integers(0, 2**32 - 1),
    st.integers(0, 32),
)


@given(st.lists(NETWORKS, max_size=4), st.integers(1, 256), st.integers(0, 10**9))
def test_what_is_written_is_read(networks: list[str], groups: int, starts: int) -> None:
    listed = ", ".join(f'"{network}"' for network in networks)
    text = f"networks = [{listed}]\ngroups_per_user = {groups}\nstarts_per_second = {starts}\n"
    assert read_limits(text, "file") == Limits(tuple(networks), groups, starts)
    assert read_limits(text + 'aggregator = "10.0.0.9"', "file").aggregator == "10.0.0.9"
    assert read_limits(text + 'operators = "/folder"', "file").operators == "/folder"


@given(st.one_of(st.text(), st.text(alphabet='networks=gupr_["]10./,\n -')))
def test_any_text_is_read_or_refused_with_the_files_name(text: str) -> None:
    try:
        limits = read_limits(text, "nic.toml")
    except ThalwegError as error:
        assert "nic.toml" in error.message
        assert error.remedy
    else:
        assert 1 <= limits.groups_per_user <= 256


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("network = []", "'network'"),
        ("groups_per_user = 0", "is 0"),
        ("groups_per_user = true", "is True"),
        ("starts_per_second = -1", "is -1"),
        ('networks = "10.0.0.0/8"', "10.0.0.0/8"),
        ('networks = ["10.0.0.1/8"]', "'10.0.0.1/8' is no IPv4 network"),
        ("networks = [1]", "'1' is no IPv4 network"),
        ("networks", "is no TOML"),
        ('aggregator = "switch"', "aggregator is switch"),
        ('operators = "folder"', "operators is folder"),
        ("operators = 0", "operators is 0"),
    ],
)
def test_errors_say_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ThalwegError, match="nic.toml") as caught:
        read_limits(text, "nic.toml")
    assert said in caught.value.message


def test_a_host_without_a_file_has_the_standard_limits(tmp_path: Path) -> None:
    assert limits_of_host(tmp_path / "none.toml") == Limits()
    with pytest.raises(ThalwegError, match="cannot be read"):
        limits_of_host(tmp_path)


def test_the_agent_is_told_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thalweg.nic.agent._part", lambda name: name)
    words = command("eth1", "tcx", Limits(("10.0.0.0/8", "192.168.1.0/24"), 7, 900))
    assert words[2:] == ["eth1", "tcx", "none", "7", "900", "-", "10.0.0.0/8", "192.168.1.0/24"]
    assert command("eth1", "tcx", Limits(operators="/folder"))[7] == "/folder"
    assert command("eth1", "tcx", Limits(operators="/folder"), operators="/other")[7] == "/other"
    assert command("eth1", "tcx", Limits(aggregator="10.0.0.9"))[4] == "10.0.0.9"
    assert command("eth1", "tcx", Limits(aggregator="10.0.0.9"), "self")[4] == "self,10.0.0.9"
    assert command("lo/all", "tcx", Limits(), "self")[4] == "self"
