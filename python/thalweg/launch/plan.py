# SPDX-License-Identifier: BSD-3-Clause
"""Decide what to start: the command, its environment and the remarks for the user. Nothing is started here."""

import itertools
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from thalweg.errors import LAUNCHER, PROGRAM, USAGE, ThalwegError
from thalweg.launch import absent_networks
from thalweg.launch.allocation import even_nodes, is_allocated
from thalweg.launch.arguments import Arguments
from thalweg.launch.cores import core_count
from thalweg.launch.launchers import (
    HYDRA,
    OPEN_RTE,
    PRRTE,
    Launcher,
    launcher_of,
    recognize,
    sections,
    with_variables,
    word_for,
)
from thalweg.launch.mpis import named_mpi
from thalweg.launch.preloads import PRELOAD, with_needed
from thalweg.libraries import interposer, world_library
from thalweg.programs.families import MPICH, OPENMPI, Family, LoadedMpi
from thalweg.programs.find import Program, executable_path, find_if_possible, find_program
from thalweg.rules.picks import mentions_library, selected_algorithms, wants_thread
from thalweg.settings.layers import Settings, selections_in, variables_for_ranks
from thalweg.settings.own_settings import marked
from thalweg.settings.values import NO_TUNING

# Set by the launchers in every rank that they start, with the MPI family that each speaks for.
RANK_VARIABLES: tuple[tuple[str, Family | None], ...] = (
    ("OMPI_COMM_WORLD_RANK", OPENMPI),
    ("HYDI_CONTROL_FD", MPICH),
    ("PMI_RANK", MPICH),
    ("PMIX_RANK", None),
    ("SLURM_PROCID", None),
    ("FLUX_TASK_RANK", None),
)
_RANK_OPTIONS = ("-n", "-np", "--np", "--n", "-c")
_HOST_OPTIONS = {"H", "host", "hosts", "hostfile", "machinefile", "machine", "f", "rf", "rankfile", "default-hostfile"}
"""Launchers' options that name hosts, without their dashes."""
_ROOT_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
# Ranks on several hosts need a thread level for what a choice says (src/run/mpi/wait/progress_thread.cpp).
_THREADS_ON_HOSTS = "THALWEG_THREADS_ON_HOSTS"
_HOST_FILES = ("HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE")
_ALLOCATORS = ("salloc", "qlogin")
_SUBMITTERS = ("sbatch", "qsub", "bsub", "msub", "condor_submit", "pjsub", "ccc_msub")


class Plan(NamedTuple):
    """What is started, and remarks to print before; `starts_ranks` says that it is a launcher.

    `mpi` is the library of a job of `ranks` ranks, where both are known, and that the job is on this host.
    """

    path: str
    command: tuple[str, ...]
    environment: dict[str, str]
    remarks: tuple[str, ...]
    starts_ranks: bool = True
    mpi: str = ""
    ranks: int = 0


class _Job(NamedTuple):
    """What holds for a job, whichever way it is started; `named` is the MPI that the user has named."""

    settings: Settings
    environment: Mapping[str, str]
    named: LoadedMpi | None
    for_ranks: Mapping[str, str]


def make_plan(
    arguments: Arguments,
    settings: Settings,
    environment: Mapping[str, str],
    for_ranks: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """Choose among the three forms: -n (we find the launcher), a launcher's command, or in place (inside a rank).

    `for_ranks` are variables that ranks get besides those of the settings, where a launcher starts them.
    """
    named = settings["mpi"].value
    job = _Job(settings, environment, named_mpi(named, environment) if isinstance(named, str) else None, for_ranks)
    if arguments.ranks:
        return _launched(arguments, job)
    launcher = recognize(arguments.command[0], environment)
    if launcher is not None:
        return _with_launcher(launcher, arguments.command, job)
    return _in_place(arguments.command, job)


def _launched(arguments: Arguments, job: _Job) -> Plan:
    environment, settings = job.environment, job.settings
    word = arguments.command[0]
    if recognize(word, environment) is not None:
        remedy = f"give the number once: thalweg run {word} -n {arguments.ranks} …"
        raise ThalwegError(USAGE, f"thalweg run: -n {arguments.ranks} beside a launcher, {word}", remedy)
    executable_path(word, environment)
    programs = [_program_of(section, job) for section in sections(arguments.command)]
    mpi = job.named or _mpi_of_all(programs)
    if mpi is None:
        raise no_mpi(word, programs[0])
    launcher = launcher_of(mpi, environment)
    _check_root(launcher, (), environment)
    ranks = arguments.ranks + sum(map(_ranks_in, sections(arguments.command)[1:]))
    options = ["-n", str(arguments.ranks)]
    allocated = is_allocated(environment)
    if launcher.kind in (OPEN_RTE, PRRTE) and not allocated and ranks > core_count():
        options += ["--oversubscribe"] if launcher.kind == OPEN_RTE else ["--map-by", ":OVERSUBSCRIBE"]
    if launcher.kind == HYDRA and not allocated and not any(name in environment for name in _HOST_FILES):
        # All ranks are on this host. Intel's Hydra may deal them out as if it had one core (seen on virtual machines),
        # and ranks then miss each other's addresses in MPI_Init.
        options = ["-ppn", str(ranks), *options]
    command = [word_for(launcher, environment), *options, *arguments.command]
    plan = _launcher_plan(launcher, command, (mpi.family, programs), job)._replace(mpi=mpi.library, ranks=ranks)
    loaded = _mpi_of_all(programs) or mpi
    return plan if settings["disable"].value else _with_rules(plan, loaded, ranks, settings)


def _mpi_of_all(programs: Sequence[Program | None]) -> LoadedMpi | None:
    """Give the MPI that the programs of a job use, if one does; they all have to use the same."""
    found = [program.mpi for program in programs if program is not None and program.mpi is not None]
    families = list(dict.fromkeys(mpi.family for mpi in found))
    if len(families) > 1:
        titles = " and ".join(family.title for family in families)
        raise ThalwegError(
            PROGRAM, f"the programs of this job use different MPIs: {titles}", "start them as separate jobs"
        )
    return found[0] if found else None


def _ranks_in(section: Sequence[str]) -> int:
    """Read how many ranks a launcher starts of one of several programs."""
    for word, value in itertools.pairwise(section):
        if word in _RANK_OPTIONS and value.isdecimal():
            return int(value)
    return 1


def _with_rules(plan: Plan, mpi: LoadedMpi, ranks: int, settings: Settings) -> Plan:
    """Tell the library of what the user and the tuning file chose among its own algorithms."""
    tuning = str(settings["tuning"].value)
    selections = selections_in(settings)
    if not selected_algorithms(selections) and (tuning == NO_TUNING or not mentions_library(tuning)):
        return plan
    from thalweg.rules.library import library_of_mpi  # noqa: PLC0415 - most runs do without them
    from thalweg.rules.loading import Job, write_library_rules  # noqa: PLC0415

    library = library_of_mpi(mpi)
    nodes = even_nodes(ranks, plan.environment)
    if library is None or not nodes:
        return plan
    rules = write_library_rules(library, Job(ranks, nodes, plan.environment), tuning, selections)
    remarks = (*plan.remarks, rules.remark) if rules.remark else plan.remarks
    own = marked(rules.variables, plan.environment)
    return plan._replace(environment=plan.environment | own, remarks=remarks)


def _with_launcher(launcher: Launcher, command: Sequence[str], job: _Job) -> Plan:
    words = command[1:]
    programs = [_program_of(section, job) for section in sections(words)]
    mpi = job.named or _mpi_of_all(programs)
    family = mpi.family if mpi else launcher.kind.family
    if family is None:
        raise no_mpi(" ".join(command), next(iter(programs), None))
    _check_root(launcher, words, job.environment)
    plan = _launcher_plan(launcher, command, (family, programs), job)
    if mpi is not None and len(programs) == 1 and not _HOST_OPTIONS & {word.lstrip("-") for word in words}:
        plan = plan._replace(mpi=mpi.library, ranks=_ranks_in(words))
    if launcher.kind.family in (None, family) or family not in (OPENMPI, MPICH):
        return plan
    remark = f"the program uses {family.title} but {command[0]} is {launcher.kind.title}: every rank may start alone"
    return plan._replace(remarks=(*plan.remarks, remark))


def _launcher_plan(
    launcher: Launcher, command: Sequence[str], started: tuple[Family, Sequence[Program | None]], job: _Job
) -> Plan:
    family, programs = started
    environment = job.environment
    variables = _variables(family, job.settings)
    if not variables:
        return Plan(launcher.path, tuple(command), dict(environment), ())
    preloads = with_needed(programs, {**variables, **job.for_ranks}, environment)
    own = {name: value for name, value in preloads.variables.items() if name != PRELOAD}
    if not is_allocated(environment):
        own |= marked(absent_networks.variables(launcher, command[1:], environment), environment)
    words = with_variables(launcher, command[1:], preloads.variables, preloads.environment)
    return Plan(launcher.path, (command[0], *words), {**environment, **own}, preloads.remarks)


def _in_place(command: Sequence[str], job: _Job) -> Plan:
    environment = job.environment
    path = executable_path(command[0], environment)
    program = _program_of(command, job)
    rank_family = next((family for name, family in RANK_VARIABLES if family and name in environment), None)
    mpi = job.named or (program.mpi if program else None)
    family = mpi.family if mpi else rank_family if program and program.script else None
    if family is None:
        raise no_mpi(command[0], program)
    ours = _variables(family, job.settings)
    if ours:  # a command that started the launcher comes first
        ours |= {name: value for name, value in job.for_ranks.items() if name not in environment}
    first, variables, _ = with_needed([program], ours, environment)
    if own := first.get(PRELOAD):
        variables[PRELOAD] = f"{own}:{variables[PRELOAD]}" if PRELOAD in variables else own
    return Plan(path, tuple(command), {**environment, **variables}, (), starts_ranks=False)


def _program_of(words: Sequence[str], job: _Job) -> Program | None:
    """Find the program in a command; where the user has named the MPI, nothing about it is a reason to refuse."""
    find = find_program if job.named is None else find_if_possible
    return find(words, job.environment)


def _variables(family: Family, settings: Settings) -> dict[str, str]:
    """Name what ranks need; nothing at all where Thalweg is disabled."""
    if settings["disable"].value:
        return {}
    libraries = [interposer(family)]
    if settings["place"].value != "off":
        libraries.insert(0, world_library(family))
    variables = {PRELOAD: ":".join(libraries), **variables_for_ranks(settings)}
    tuning = str(settings["tuning"].value)
    if wants_thread("" if tuning == NO_TUNING else tuning, selections_in(settings)):
        variables[_THREADS_ON_HOSTS] = "1"
    return variables


def _check_root(launcher: Launcher, words: Sequence[str], environment: Mapping[str, str]) -> None:
    if launcher.kind not in (OPEN_RTE, PRRTE) or os.geteuid() != 0 or "--allow-run-as-root" in words:
        return
    if not all(environment.get(name) == "1" for name in _ROOT_VARIABLES):
        remedy = f"run as another user, or set {' and '.join(f'{name}=1' for name in _ROOT_VARIABLES)}"
        raise ThalwegError(LAUNCHER, f"{launcher.path} (Open MPI) refuses to run as root", remedy)


def no_mpi(word: str, program: Program | None) -> ThalwegError:
    """Say why a command starts no MPI program, and what to do."""
    name = os.path.basename(word)
    if name in _ALLOCATORS:
        message = f"{name} makes an allocation and starts no ranks itself"
        return ThalwegError(PROGRAM, message, f"put thalweg run behind it: {name} … thalweg run -n 8 -- ./program")
    if name in _SUBMITTERS:
        message = f"{name} submits a script, which runs later and elsewhere"
        return ThalwegError(PROGRAM, message, "put thalweg run into the script, in front of its mpirun or srun")
    if program is not None and program.script:
        message = f"{word} is a script, and which MPI the programs in it use cannot be seen"
        return ThalwegError(
            PROGRAM, message, "name it: --mpi openmpi, mpich or mpiabi; or name the launcher: thalweg run mpirun -n …"
        )
    message = f"{word} is no MPI program: neither it nor its libraries need an MPI library"
    return ThalwegError(
        PROGRAM, message, "if it loads one later by itself, name it: --mpi openmpi, mpich, mpiabi or a path"
    )
