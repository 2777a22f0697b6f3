# SPDX-License-Identifier: BSD-3-Clause
"""Start MPI programs across the lab's hosts, over TCP on their links."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from thalweg.errors import LAB, USAGE, ThalwegError
from thalweg.lab.agent import agent_of
from thalweg.lab.hosts import Lab, require_root, saved
from thalweg.launch.arguments import read_arguments, read_lab_arguments, words_of
from thalweg.launch.become import become
from thalweg.launch.execute import check_settings
from thalweg.launch.launchers import HYDRA, OPEN_RTE, PRRTE, Launcher, launcher_of
from thalweg.launch.mpis import named_mpi
from thalweg.launch.plan import no_mpi
from thalweg.programs.families import MPICH, LoadedMpi
from thalweg.programs.find import executable_path, find_program
from thalweg.rules.library import library_of_mpi
from thalweg.rules.loading import Job, library_version, write_library_rules
from thalweg.rules.picks import mentions_library, selected_algorithms
from thalweg.settings.layers import Settings, effective_settings, selections_in
from thalweg.settings.own_settings import marked
from thalweg.settings.values import NO_TUNING

_TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
_NETWORK = "THALWEG_NETWORK"
_NODE_LIST = "THALWEG_NODE_LIST"
_INTEL = {"I_MPI_FABRICS": "ofi", "I_MPI_PIN": "off"}


def command_line(
    lab: Lab, launcher: Launcher, ranks: int, program: Sequence[str], variables: Mapping[str, str] | None = None
) -> list[str]:
    """Write the launcher's command for so many ranks, as many on each host as need be, with variables for them."""
    per_host = -(-ranks // lab.hosts)
    words = [*_launcher_words(lab, launcher, per_host), *_given(launcher, variables or {})]
    return [launcher.path, *words, "-n", str(ranks), *program]


def run_words(words: Sequence[str]) -> None:
    """Run what stands behind `thalweg lab run`: the options of `thalweg run`, --native and --name.

    Takes this process's place; returns if help is asked for.
    """
    arguments = read_lab_arguments(words)
    if arguments.asks_for_help:
        return
    name = arguments.lab or os.environ.get("THALWEG_LAB") or "thalweg"
    check_settings(effective_settings(arguments.flags, os.environ, "."))
    run(name, arguments.ranks, arguments.command, words_of(arguments), native=arguments.native)


def run(name: str, ranks: int, program: Sequence[str], options: Sequence[str], *, native: bool) -> None:
    """Take this process's place with a job on the hosts of the lab of that name; the options are `thalweg run`'s."""
    require_root()
    lab = saved(name)
    if lab is None:
        message = f"no lab is up that is called {name}"
        raise ThalwegError(LAB, message, "make one first: thalweg lab up --hosts 8 --rate 200mbit")
    if not program or ranks < 1:
        raise ThalwegError(USAGE, "a job needs ranks and a program", "thalweg lab run -n 8 -- ./app")
    mpi = _mpi_of(program, options)
    launcher = launcher_of(mpi, os.environ)
    under = [] if native else [sys.executable, "-m", "thalweg", "run", *options]
    rules = {} if native else _library_rules(lab, launcher, mpi, ranks, options)
    own = marked(_waiting(launcher) | rules, os.environ)
    words = [*under, *command_line(lab, launcher, ranks, program, own)]
    if ranks > 1 and (remark := _remark_on(mpi)):
        print(f"thalweg: {remark}", file=sys.stderr)
    sys.stdout.flush()
    agent = str(agent_of(lab.folder))
    # Open MPI's first ranks are on the host that it is started on.
    become(agent, (agent, lab.dealt[0], *map(shlex.quote, words)), environment(os.environ))


def _mpi_of(program: Sequence[str], options: Sequence[str]) -> LoadedMpi:
    """Find out which MPI the program uses, unless the user has named it."""
    executable_path(program[0], os.environ)
    named = _settings(options)["mpi"].value
    if isinstance(named, str):
        return named_mpi(named, os.environ)
    found = find_program(program, os.environ)
    if found is None or found.mpi is None:
        raise no_mpi(program[0], found)
    return found.mpi


def _settings(options: Sequence[str]) -> Settings:
    return effective_settings(read_arguments([*options, "--", "a program"]).flags, os.environ, ".")


def _remark_on(mpi: LoadedMpi) -> str:
    """Say which libraries do not always end on several hosts."""
    version = _version_of(mpi) if mpi.family == MPICH else ""
    if not version.startswith(("MPICH 4.0", "MPICH 4.1")):
        return ""
    return f"{version} may hang in MPI_Finalize on several hosts (docs/lab.md); thalweg lab down ends it"


def _version_of(mpi: LoadedMpi) -> str:
    """Ask the library; one that was named by its family alone is where the loader finds it."""
    for name in [mpi.library] if os.path.isfile(mpi.library) else mpi.family.sonames:
        with suppress(OSError):
            return library_version(name)
    return ""


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """Open MPI's consent to root, which the lab is made by, and TCP for the libraries that read it from variables."""
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**own, **consent, "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _library_rules(lab: Lab, launcher: Launcher, mpi: LoadedMpi, ranks: int, options: Sequence[str]) -> dict[str, str]:
    """Write the variables that tell the library of the tuning file's picks among its own algorithms."""
    settings = _settings(options)
    file = str(settings["tuning"].value)
    selections = selections_in(settings)
    per_host = -(-ranks // lab.hosts)
    nodes = -(-ranks // per_host)
    library = library_of_mpi(mpi)
    is_wanted = bool(selected_algorithms(selections)) or (file != NO_TUNING and mentions_library(file))
    if not is_wanted or ranks % nodes or library is None:
        return {}
    job = Job(ranks, nodes, environment(os.environ) | _ranks_variables(lab, launcher, per_host))
    rules = write_library_rules(library, job, file, selections)
    if rules.remark:
        print(f"thalweg: {rules.remark}", file=sys.stderr)
    return rules.variables


def network(lab: Lab) -> str:
    """Say which network this is: what is tuned on one lab does not hold on another."""
    shuffled = f"-shuffled-{lab.shuffle}" if lab.shuffle else ""
    hosts = f"-hosts-{lab.host_rate}" if lab.host_rate else ""
    return f"lab-{lab.hosts}x{lab.rate}{hosts}-{lab.topology}{shuffled}"


def _own(lab: Lab) -> dict[str, str]:
    """Tell Thalweg in the ranks which network this is, and where hosts are in it."""
    return {_NETWORK: network(lab), _NODE_LIST: str(lab.node_list)}


def _given(launcher: Launcher, variables: Mapping[str, str]) -> list[str]:
    """Hand variables to the ranks."""
    if launcher.kind == HYDRA:
        return [word for name, value in variables.items() for word in ("-genv", name, value)]
    return [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]


def _ranks_variables(lab: Lab, launcher: Launcher, per_host: int) -> dict[str, str]:
    """Name the variables by which ranks know their transport."""
    if launcher.kind == HYDRA:
        return _TCP | _INTEL | _own(lab)
    parameters = {f"OMPI_MCA_{name}": value for name, value in _transport(launcher, per_host).items()}
    return parameters | _own(lab)


def _transport(launcher: Launcher, per_host: int) -> dict[str, str]:
    """Give Open MPI's parameters for TCP between the hosts."""
    shared = "" if per_host == 1 else ",vader" if launcher.kind == OPEN_RTE else ",sm"
    btl = {"btl": f"tcp,self{shared}", "btl_tcp_if_include": "eth0"}
    return {"pml": "ob1", **btl}


def _waiting(launcher: Launcher) -> dict[str, str]:
    """Let Open MPI's ranks yield, as hosts share this machine's cores; not a choice of the user's."""
    return {} if launcher.kind == HYDRA else {"OMPI_MCA_mpi_yield_when_idle": "1"}


def _launcher_words(lab: Lab, launcher: Launcher, per_host: int) -> list[str]:
    hosts = ",".join(f"{name}:{per_host}" for name in lab.dealt)
    agent = str(agent_of(lab.folder))
    if launcher.kind == HYDRA:
        given = _given(launcher, _ranks_variables(lab, launcher, per_host))
        return ["-launcher", "rsh", "-launcher-exec", agent, "-iface", "eth0", "-hosts", hosts, *given]
    if launcher.kind == OPEN_RTE:
        remote = ["plm_rsh_agent", agent], ["plm_rsh_no_tree_spawn", "1"], ["oob_tcp_if_include", "eth0"]
        option = "--mca"
    elif launcher.kind == PRRTE:
        remote = ["plm_ssh_agent", agent], ["plm_ssh_no_tree_spawn", "1"], ["prte_if_include", "eth0"]
        option = "--prtemca"
    else:
        raise ThalwegError(LAB, f"{launcher.path} ({launcher.kind.title}) cannot start jobs in the lab", "use mpirun")
    # Each host has its cores already; Open MPI would deal out all of the machine's.
    words = ["--host", hosts, "--bind-to", "none", *_given(launcher, _own(lab))]
    for parameter in remote:
        words += [option, *parameter]
    for name, value in _transport(launcher, per_host).items():
        words += ["--mca", name, value]
    return words
