"""Start MPI programs across the lab's hosts, over TCP on their links."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence

from thalweg.errors import LAB, PROGRAM, USAGE, ThalwegError
from thalweg.lab.agent import agent_of
from thalweg.lab.hosts import Lab, require_root, saved
from thalweg.launch.launchers import HYDRA, OPEN_RTE, PRRTE, Launcher, launcher_of
from thalweg.programs.find import find_program

_TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
_NETWORK = "THALWEG_NETWORK"
_INTEL = {"I_MPI_FABRICS": "ofi", "I_MPI_PIN": "off"}


def command_line(lab: Lab, launcher: Launcher, ranks: int, program: Sequence[str]) -> list[str]:
    """Write the launcher's command for so many ranks, as many on each host as need be."""
    per_host = -(-ranks // lab.hosts)
    return [launcher.path, *_launcher_words(lab, launcher, per_host), "-n", str(ranks), *program]


def run(name: str, ranks: int, program: Sequence[str], options: Sequence[str], *, native: bool) -> None:
    """Take this process's place with a job on the hosts of the lab of that name."""
    require_root()
    lab = saved(name)
    if lab is None:
        message = f"no lab is up that is called {name}"
        raise ThalwegError(LAB, message, "make one first: thalweg lab up --hosts 8 --rate 200mbit")
    if not program or ranks < 1:
        raise ThalwegError(USAGE, "a job needs ranks and a program", "thalweg lab run -n 8 -- ./app")
    found = find_program(program, os.environ)
    if found is None or found.mpi is None:
        raise ThalwegError(PROGRAM, f"{program[0]} is no MPI program: neither it nor its libraries need an MPI library")
    launcher = launcher_of(found.mpi, os.environ)
    under = [] if native else [sys.executable, "-m", "thalweg", "run", *options]
    words = [*under, *command_line(lab, launcher, ranks, program)]
    sys.stdout.flush()
    agent = str(agent_of(lab.folder))
    os.execve(agent, [agent, lab.names[0], *map(shlex.quote, words)], environment(os.environ))


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """Open MPI's consent to root, which the lab is made by, and TCP for the libraries that read it from variables."""
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**own, **consent, "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def network(lab: Lab) -> str:
    """Say which network this is: what is tuned on one lab does not hold on another."""
    return f"lab-{lab.hosts}x{lab.rate}-{lab.topology}"


def _launcher_words(lab: Lab, launcher: Launcher, per_host: int) -> list[str]:
    hosts = ",".join(f"{name}:{per_host}" for name in lab.names)
    agent = str(agent_of(lab.folder))
    shared = ",vader" if per_host > 1 else ""
    if launcher.kind == HYDRA:
        settings = _TCP | _INTEL | {_NETWORK: network(lab)}
        given = [word for name, value in settings.items() for word in ("-genv", name, value)]
        return ["-launcher", "rsh", "-launcher-exec", agent, "-iface", "eth0", "-hosts", hosts, *given]
    if launcher.kind == OPEN_RTE:
        remote = ["plm_rsh_agent", agent], ["plm_rsh_no_tree_spawn", "1"], ["oob_tcp_if_include", "eth0"]
        option = "--mca"
    elif launcher.kind == PRRTE:
        remote = ["plm_ssh_agent", agent], ["plm_ssh_no_tree_spawn", "1"], ["prte_if_include", "eth0"]
        option = "--prtemca"
        shared = shared.replace("vader", "sm")
    else:
        raise ThalwegError(LAB, f"{launcher.path} ({launcher.kind.title}) cannot start jobs in the lab", "use mpirun")
    transport = (
        ["pml", "ob1"],
        ["btl", f"tcp,self{shared}"],
        ["btl_tcp_if_include", "eth0"],
        ["mpi_yield_when_idle", "1"],
    )
    words = ["--host", hosts, "-x", f"{_NETWORK}={network(lab)}"]
    for parameter in remote:
        words += [option, *parameter]
    for parameter in transport:
        words += ["--mca", *parameter]
    return words
