"""Make the lab's hosts and links, and take them away again.

A host is a network namespace whose only link, eth0, leads to a bridge in a namespace of its own. Both ends of it let
packets out at the link's rate (tbf: bursts below 32 KB are free). Everything is named after the lab, so that `down`
finds it after a crash too.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable

from thalweg.errors import LAB, ThalwegError
from thalweg.lab.agent import write_agent
from thalweg.lab.hosts import NETNS, Lab, belongs, folder_of, is_host, require_root, save, saved

_BURST = "32kb"
_LATENCY = "400ms"
_PATIENCE_S = 5


def up(lab: Lab) -> None:
    """Make a lab; what was made is taken away again if a part of it fails."""
    require_root()
    if saved(lab.name) is not None or _namespaces(lab.name):
        message = f"a lab that is called {lab.name} is up already"
        raise ThalwegError(LAB, message, "thalweg lab down takes it away, --name makes another one")
    for tool in ("ip", "tc", "unshare"):
        if shutil.which(tool) is None:
            raise ThalwegError(LAB, f"{tool} is not installed", "Debian: apt install iproute2 util-linux")
    try:
        lab.folder.mkdir(mode=0o755, parents=True)
        write_agent(lab.folder)
        _write_names(lab)
        _make_links(lab)
        for namespace, device in _ends(lab):
            shape = ["tbf", "rate", lab.rate, "burst", _BURST, "latency", _LATENCY]
            _call(["tc", "-n", namespace, "qdisc", "add", "dev", device, "root", *shape])
        _await_links(lab)
        save(lab)
    except BaseException:
        down(lab.name)
        raise


def down(name: str) -> int:
    """Take away whatever of a lab is there, ending what still runs on its hosts; return how many hosts there were."""
    require_root()
    folder = folder_of(name)
    namespaces = _namespaces(name)
    _end_processes(namespaces)
    for namespace in namespaces:
        _call(["ip", "netns", "delete", namespace])
    for settings in NETNS.glob(f"{name}-*"):
        if belongs(settings.name, name):
            shutil.rmtree(settings)
    shutil.rmtree(folder, ignore_errors=True)
    for parent in (NETNS, folder.parent):
        if parent.is_dir() and not any(parent.iterdir()):
            parent.rmdir()
    return sum(is_host(namespace, name) for namespace in namespaces)


def _make_links(lab: Lab) -> None:
    pairs = [
        f"link add eth0 netns {host} type veth peer name port{i} netns {lab.switch}" for i, host in enumerate(lab.names)
    ]
    _batch([], [*(f"netns add {name}" for name in (lab.switch, *lab.names)), *pairs])
    ports = [f"link set port{index} master bridge up" for index in range(lab.hosts)]
    _batch(["-n", lab.switch], ["link add bridge type bridge", "link set bridge up", *ports])
    for index, host in enumerate(lab.names):
        _batch(["-n", host], [f"address add {lab.address(index)}/24 dev eth0", "link set eth0 up", "link set lo up"])


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


def _ends(lab: Lab) -> list[tuple[str, str]]:
    """List both ends of every link as namespace and device."""
    return [end for index, host in enumerate(lab.names) for end in ((host, "eth0"), (lab.switch, f"port{index}"))]


def _write_names(lab: Lab) -> None:
    names = "127.0.0.1 localhost\n" + "".join(f"{lab.address(i)} {name}\n" for i, name in enumerate(lab.names))
    for host in lab.names:
        folder = NETNS / host
        folder.mkdir(parents=True)
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
