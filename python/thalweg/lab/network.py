# SPDX-License-Identifier: BSD-3-Clause
"""Make the lab's hosts and links, and take them away again.

A host is a network namespace whose only link, eth0, leads to a switch, a namespace too: a bridge in a star, else a
router with fixed routes that answers for all hosts on the hosts' links. Both ends of every link let packets out at its
rate (tbf: bursts below 32 KB are free). Everything is named after the lab, so that `down` finds it after a crash too.
"""

import ipaddress
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import LAB, ThalwegError
from thalweg.lab.agent import write_agent
from thalweg.lab.hosts import NETNS, Lab, belongs, folder_of, is_host, network_of, require_root, save, saved
from thalweg.nic.agent import start_on
from thalweg.nic.limits import Limits

_BURST = "32kb"
_LATENCY = "400ms"
_PATIENCE_S = 5
_PORTS = "10.77.0.254"
_ROUTERS = "10.78.0.0/16"
# Routers forward, answer on the hosts' links for everybody else, and at once.
_ROUTER = """
cd /proc/sys/net/ipv4
echo 1 > ip_forward
for file in conf/*/rp_filter conf/*/send_redirects; do echo 0 > $file; done
for file in conf/h*/proxy_arp; do echo 1 > $file; done
for file in neigh/h*/proxy_delay; do echo 0 > $file; done
true
"""


def up(lab: Lab) -> None:
    """Make a lab; what was made is taken away again if a part of it fails."""
    require_root()
    if saved(lab.name) is not None or _namespaces(lab.name):
        message = f"a lab that is called {lab.name} is up already"
        raise ThalwegError(LAB, message, "thalweg lab down takes it away, --name makes another one")
    for tool in ("ip", "tc", "unshare", "taskset"):
        if shutil.which(tool) is None:
            raise ThalwegError(LAB, f"{tool} is not installed", "Debian: apt install iproute2 util-linux")
    try:
        lab.folder.mkdir(mode=0o755, parents=True)
        write_agent(lab.folder, lab.names, sorted(os.sched_getaffinity(0)))
        _write_names(lab)
        _make_links(lab)
        _await_links(lab)
        if lab.nic:
            _start_agents(lab)
        save(lab)
    except BaseException:
        down(lab.name)
        raise


def _start_agents(lab: Lab) -> None:
    networks = (str(ipaddress.IPv4Network(f"{lab.address(0)}/24", strict=False)), _ROUTERS)
    limits = Limits(networks, operators=lab.operators)
    device = "bridge" if lab.topology == "star" else "lo/all"
    above = ""
    if lab.spine >= 0:
        above = f",{lab.switch_address(lab.spine)}"
        start_on([lab.switch(lab.spine)], device, lab.folder / "spine.log", limits=limits, aggregator="self")
    leaves = [lab.switch(leaf) for leaf in lab.leaves]
    start_on(leaves, device, lab.folder / "switch.log", limits=limits, aggregator=f"self{above}")
    below: dict[str, list[str]] = {}
    for host, name in enumerate(lab.names):
        below.setdefault(lab.leaf_address(host), []).append(name)
    for leaf, hosts in below.items():
        start_on(hosts, "eth0", lab.folder / "agents.log", limits=limits, aggregator=leaf)


def down(name: str) -> int:
    """Take away whatever of a lab is there, ending what still runs on its hosts; return how many hosts there were.

    Raises ThalwegError for files that cannot be taken away, when all else is gone.
    """
    require_root()
    folder = folder_of(name)
    namespaces = _namespaces(name)
    _end_processes(namespaces)
    for namespace in namespaces:
        _call(["ip", "netns", "delete", namespace])
    kept = [f"{one}: {reason}" for one in _settings_of(name) if (reason := _why_kept(one))]
    shutil.rmtree(folder, ignore_errors=True)
    for parent in (NETNS, folder.parent):
        if parent.is_dir() and not any(parent.iterdir()):
            with suppress(OSError):  # something may be mounted there
                parent.rmdir()
    if kept:
        remedy = "take them away by hand; something may be mounted there. The hosts are gone"
        raise ThalwegError(LAB, f"what the lab has left cannot be removed: {', '.join(kept)}", remedy)
    return sum(is_host(namespace, name) for namespace in namespaces)


def _settings_of(name: str) -> list[Path]:
    return [path for path in sorted(NETNS.glob(f"{name}-*")) if belongs(path.name, name)]


def _why_kept(folder: Path) -> str:
    """Remove a folder; give the reason where that cannot be."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        return str(error.strerror)
    return ""


def _make_links(lab: Lab) -> None:
    network = network_of(lab.topology, lab.hosts)
    cables = [_Cable.between(lab, *ends) for ends in network.links[::2]]
    switches = [lab.switch(index) for index in range(network.switches)]
    ends = [f"{end.device} netns {end.space}" for cable in cables for end in cable]
    pairs = [
        f"link add {ours} type veth peer name {theirs}" for ours, theirs in zip(ends[::2], ends[1::2], strict=True)
    ]
    _batch([], [*(f"netns add {name}" for name in (*switches, *lab.names)), *pairs])
    for index, host in enumerate(lab.names):
        own = [f"address add {lab.address(index)}/24 dev eth0", "link set eth0 up", "link set lo up"]
        _batch(["-n", host], [*own, f"route add {_ROUTERS} dev eth0"])
    if lab.topology == "star":
        ports = [f"link set {port.device} master bridge up" for _, port in cables]
        address = f"address add {lab.switch_address(0)}/24 dev bridge"
        _batch(["-n", switches[0]], ["link add bridge type bridge", address, "link set bridge up", *ports])
    else:
        _make_routers(lab, network, cables)
    for cable in cables:
        rate = lab.host_rate or lab.rate if cable.ours.device == "eth0" else lab.rate
        for end in cable:
            shape = ["tbf", "rate", rate, "burst", _BURST, "latency", _LATENCY]
            _call(["tc", "-n", end.space, "qdisc", "add", "dev", end.device, "root", *shape])


class _End(NamedTuple):
    """One end of a cable."""

    space: str
    device: str


class _Cable(NamedTuple):
    """The ends of a link; a host's own end comes first."""

    ours: _End
    theirs: _End

    @classmethod
    def between(cls, lab: Lab, a: int, b: int) -> "_Cable":
        """Name the ends of the link between two of the network's vertices."""
        switch = lab.switch(b - lab.hosts)
        if a < lab.hosts:
            return cls(_End(lab.names[a], "eth0"), _End(switch, f"h{a}"))
        return cls(_End(lab.switch(a - lab.hosts), f"s{b - lab.hosts}"), _End(switch, f"s{a - lab.hosts}"))


def _make_routers(lab: Lab, network: _core.Network, cables: Sequence[_Cable]) -> None:
    lines: dict[str, list[str]] = {lab.switch(index): [] for index in range(network.switches)}
    gateways: dict[tuple[str, str], str] = {}
    for number, cable in enumerate(cables):
        for side, end in enumerate(cable):
            if end.space not in lines:
                continue
            # Hosts' links bear one address for all: it is asked from, never asked for.
            is_port = end.device.startswith("h")
            own, other = (f"10.79.{number // 64}.{number % 64 * 2 + which}" for which in (side, 1 - side))
            lines[end.space] += [
                f"address add {_PORTS}/32 dev {end.device}" if is_port else f"address add {own}/31 dev {end.device}",
                f"link set {end.device} up",
            ]
            gateways[end.space, end.device] = "" if is_port else f"via {other} "
    for host in range(lab.hosts):
        for space, ahead in zip(lines, network.forwarding(host), strict=True):
            if ahead < 0:
                continue
            device = f"h{host}" if ahead == host else f"s{ahead - lab.hosts}"
            lines[space].append(f"route add {lab.address(host)}/32 {gateways[space, device]}dev {device}")
    _give_addresses(lab, network, lines, gateways)
    for space, commands in lines.items():
        _batch(["-n", space], commands)
        _call(["ip", "netns", "exec", space, "sh", "-c", _ROUTER])


def _give_addresses(
    lab: Lab, network: _core.Network, lines: dict[str, list[str]], gateways: dict[tuple[str, str], str]
) -> None:
    """Give routers that aggregate an address of their own: a leaf is where its hosts are, a spine next to leaves."""
    for index in lab.aggregating:
        space = lab.switch(index)
        own = lab.switch_address(index)
        lines[space] += ["link set lo up", f"address add {own}/32 dev lo"]
        host = next((host for host in range(lab.hosts) if network.switch_of(host) == index + lab.hosts), -1)
        ways = network.forwarding(host) if host >= 0 else [index + lab.hosts] * network.switches
        for other, ahead in enumerate(ways):
            device = f"s{ahead - lab.hosts}"
            if ahead >= lab.hosts and (gateway := gateways.get((lab.switch(other), device))):
                lines[lab.switch(other)].append(f"route add {own}/32 {gateway}dev {device}")


def _await_links(lab: Lab) -> None:
    """Wait until every link is up: what starts before then finds no network."""
    end_s = time.monotonic() + _PATIENCE_S
    for host in lab.names:
        while "state UP" not in _call(["ip", "-n", host, "link", "show", "eth0"]):
            if time.monotonic() > end_s:
                raise ThalwegError(LAB, f"the link of {host} does not come up", "ip -n NAME link shows its state")
            time.sleep(0.02)


def _batch(options: list[str], lines: list[str]) -> None:
    _call(["ip", *options, "-batch", "-"], "\n".join(lines) + "\n")


def _write_names(lab: Lab) -> None:
    names = "127.0.0.1 localhost\n" + "".join(f"{lab.address(i)} {name}\n" for i, name in enumerate(lab.names))
    switches = [lab.switch(index) for index in lab.aggregating]
    names += "".join(f"{lab.switch_address(index)} {lab.switch(index)}\n" for index in lab.aggregating)
    for host in (*lab.names, *switches):
        folder = NETNS / host
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "hosts").write_text(names)


def _namespaces(name: str) -> list[str]:
    listed = _call(["ip", "netns", "list"]).splitlines()
    return [space for line in listed if belongs(space := line.split()[0], name)]


def _end_processes(namespaces: Iterable[str]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        end_s = time.monotonic() + _PATIENCE_S
        while pids := [int(pid) for name in namespaces for pid in _call(["ip", "netns", "pids", name]).split()]:
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
            if time.monotonic() > end_s:
                break
            time.sleep(0.05)


def _call(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ThalwegError(LAB, f"{' '.join(command)} failed: {done.stderr.strip()}", "thalweg lab down clears up")
    return done.stdout
