# SPDX-License-Identifier: BSD-3-Clause
"""MPI launchers: recognize one, find the one that belongs to a library, and hand variables to the ranks it starts.

Variables go through the launcher's own option for them, right behind its name, and behind each colon where the option
holds for one program of several. The rest of the command line stays as the user wrote it, no option needs to be
understood, and neither the launcher nor its daemons are preloaded.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thalweg.errors import LAUNCHER, USAGE, ThalwegError
from thalweg.launch.preloads import PRELOAD
from thalweg.programs.families import MPICH, OPENMPI, Family, LoadedMpi
from thalweg.programs.processes import executable, output_of


class Kind(NamedTuple):
    """A kind of launcher; `family` is None where it starts programs of any MPI."""

    name: str
    title: str
    family: Family | None


OPEN_RTE = Kind("openrte", "Open MPI 4's mpirun", OPENMPI)
PRRTE = Kind("prrte", "PRRTE's prterun (Open MPI 5's mpirun)", OPENMPI)
HYDRA = Kind("hydra", "Hydra (MPICH's and Intel MPI's mpiexec)", MPICH)
SLURM = Kind("slurm", "Slurm's srun", None)
FLUX = Kind("flux", "flux run", None)

_BY_FILE = {
    "orterun": OPEN_RTE,
    "prterun": PRRTE,
    "prun": PRRTE,
    "mpiexec.hydra": HYDRA,
    "srun": SLURM,
    "flux": FLUX,
}
_BY_VERSION = (
    (r"OpenRTE|Open MPI\) [1-4]\.", OPEN_RTE),
    (r"Open MPI\) \d|PRRTE|prterun", PRRTE),
    (r"HYDRA|Intel\(R\) MPI", HYDRA),
    (r"^slurm ", SLURM),
)
_GENERIC = re.compile(r"(mpirun|mpiexec)([.-].*)?$")
_FOREIGN = ("jsrun", "aprun", "palsrun", "ccc_mprun", "ibrun", "poe", "mpirun_rsh", "lrun")
_FLUX_STARTS = ("run", "submit", "alloc", "bulksubmit", "batch")


class Launcher(NamedTuple):
    """A launcher as a program: its kind and the path to start."""

    kind: Kind
    path: str


def recognize(word: str, environment: Mapping[str, str]) -> Launcher | None:
    """Tell whether a command line's first word is a launcher, by its file's name, else by what its --version says."""
    name = os.path.basename(word)
    path = executable(word, environment)
    if name in _FOREIGN:
        remedy = f"let it start Thalweg in every rank: {name} … thalweg run PROGRAM"
        raise ThalwegError(LAUNCHER, f"Thalweg does not know how {name} hands variables to its ranks", remedy)
    if path is None:
        if name in _BY_FILE or _GENERIC.match(name):
            raise ThalwegError(
                LAUNCHER, f"the launcher {word} does not exist", "is the MPI installed, its bin in PATH?"
            )
        return None
    for candidate in (name, os.path.basename(os.path.realpath(path))):
        if candidate in _BY_FILE:
            return Launcher(_BY_FILE[candidate], path)
    if not _GENERIC.match(name):
        return None
    kind = _kind_by_version(path, environment)
    if kind is None:
        remedy = f"let it start Thalweg in every rank: {word} … thalweg run PROGRAM"
        raise ThalwegError(LAUNCHER, f"{path} is a launcher that Thalweg does not know", remedy)
    return Launcher(kind, path)


def launcher_of(mpi: LoadedMpi, environment: Mapping[str, str]) -> Launcher:
    """Find the launcher installed with a library: in bin/ of the nearest folder above it, else in PATH."""
    suffix = {"openmpi": ".openmpi", "mpich": ".mpich"}.get(mpi.family.name, "")
    names = [start + end for end in dict.fromkeys((suffix, "")) for start in ("mpirun", "mpiexec")]
    places = dict.fromkeys([*_folders_above(mpi.library), *_folders_above(os.path.realpath(mpi.library))])
    for folder in [os.path.join(place, "bin") for place in places] + environment.get("PATH", "").split(":"):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK) and (found := _fitting(path, mpi, environment)):
                return found
    message = f"no launcher of {mpi.family.title} lies near {mpi.library} or in PATH"
    raise ThalwegError(
        LAUNCHER, message, "install it (Debian: openmpi-bin or mpich), or name the launcher: thalweg run mpirun -n …"
    )


def word_for(launcher: Launcher, environment: Mapping[str, str]) -> str:
    """Name the launcher as the user would.

    Open MPI's launcher that is called by its whole path puts its own folder in front of PATH, so `python3` would not be
    the one of the user's virtual environment.
    """
    name = os.path.basename(launcher.path)
    return name if executable(name, environment) == launcher.path else launcher.path


def with_variables(
    launcher: Launcher, words: Sequence[str], variables: Mapping[str, str], environment: Mapping[str, str]
) -> list[str]:
    """Write the launcher's command so that ranks get the variables, and LD_PRELOAD behind one that the user gives.

    `words` is the command behind the launcher's name. THALWEG_ variables are expected in the launcher's own environment
    too, where they are inert: values with semicolons cannot be given on Open MPI's command line.
    """
    preload = variables.get(PRELOAD, "")
    joined = _joined(environment, preload) if preload else ""
    if launcher.kind == HYDRA:
        return _with_hydra_environment(list(words), variables, preload, joined)
    if launcher.kind == FLUX:
        return _with_flux_environment(list(words), joined)
    # The options of Open MPI and Slurm hold for one program of the job, so each program gets them.
    command: list[str] = []
    for section in sections(words):
        command += [":"] if command else []
        if launcher.kind == SLURM:
            command += _with_slurm_export(section, variables, joined, environment)
        else:
            command += _with_open_mpi_variables(section, variables, preload, joined)
    return command


def sections(words: Sequence[str]) -> list[list[str]]:
    """Cut a launcher's words at the colons between the programs of one job."""
    found: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            found.append([])
        else:
            found[-1].append(word)
    return found


def _with_open_mpi_variables(words: list[str], variables: Mapping[str, str], preload: str, joined: str) -> list[str]:
    given = _append_to_assignment(words, "-x", preload)
    named = [argument for name in variables if name != PRELOAD for argument in ("-x", name)]
    return [*named, *([] if given or not joined else ["-x", f"{PRELOAD}={joined}"]), *words]


def _with_hydra_environment(words: list[str], variables: Mapping[str, str], preload: str, joined: str) -> list[str]:
    given = _append_to_pair(words, ("-env", "-genv", "--env", "--genv"), preload)
    named = [argument for name, value in variables.items() if name != PRELOAD for argument in ("-genv", name, value)]
    return [*named, *([] if given or not joined else ["-genv", PRELOAD, joined]), *words]


def _folders_above(path: str) -> list[str]:
    folders = []
    folder = os.path.dirname(os.path.abspath(path))
    while folder != "/":
        folders.append(folder)
        folder = os.path.dirname(folder)
    return folders


def _fitting(path: str, mpi: LoadedMpi, environment: Mapping[str, str]) -> Launcher | None:
    """Take a launcher if its family is the library's; the standard ABI is served by either."""
    known = _BY_FILE.get(os.path.basename(os.path.realpath(path)))
    kind = known or _kind_by_version(path, environment)
    if kind is None or kind.family is None:
        return None
    if mpi.family in (OPENMPI, MPICH) and kind.family != mpi.family:
        return None
    return Launcher(kind, path)


def _kind_by_version(path: str, environment: Mapping[str, str]) -> Kind | None:
    try:
        text = "".join(output_of([path, "--version"], environment, seconds=30))
    except OSError:
        return None
    return next((kind for pattern, kind in _BY_VERSION if re.search(pattern, text)), None)


def _joined(environment: Mapping[str, str], preload: str) -> str:
    return f"{own}:{preload}" if (own := environment.get(PRELOAD)) else preload


def _append_to_assignment(words: list[str], option: str, preload: str) -> bool:
    """Append to every `-x LD_PRELOAD=value` among the words; tells whether there was one."""
    places = [
        index for index in range(1, len(words)) if words[index - 1] == option and words[index].startswith(PRELOAD + "=")
    ]
    for index in places:
        words[index] += f":{preload}" if preload else ""
    return bool(places)


def _append_to_pair(words: list[str], options: Sequence[str], preload: str) -> bool:
    """Append to every `-genv LD_PRELOAD value` among the words; tells whether there was one."""
    places = [index for index in range(2, len(words)) if words[index - 2] in options and words[index - 1] == PRELOAD]
    for index in places:
        words[index] += f":{preload}" if preload else ""
    return bool(places)


def _with_slurm_export(
    words: list[str], variables: Mapping[str, str], preload: str, environment: Mapping[str, str]
) -> list[str]:
    """Give srun one --export: the user's list with ours behind it, or ALL where there is none.

    `#SBATCH --export=NONE` leaves its list to every srun of the script, in a variable.
    """
    own_words = words[: _program_in(words, environment)]
    options = [place for place, word in enumerate(own_words) if word == "--export" or word.startswith("--export=")]
    before, rest, given = words[:0], words, environment.get("SLURM_EXPORT_ENV") or "ALL"
    if options:
        _, equals, value = words[options[0]].partition("=")
        end = options[0] + (1 if equals else 2)
        before, rest, given = words[: options[0]], words[end:], value if equals else "".join(words[end - 1 : end])
    entries = [entry for entry in given.split(",") if entry not in ("NONE", "NIL", "")]
    if "ALL" not in entries:
        entries += [name for name in variables if name != PRELOAD]
    own = next((place for place, entry in enumerate(entries) if entry.startswith(PRELOAD + "=")), None)
    if own is not None and preload:
        entries[own] += f":{preload}"
    elif preload:
        entries.append(f"{PRELOAD}={preload}")
    return [*before, "--export=" + ",".join(entries), *rest]


def _program_in(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Give the place of the program among srun's words, whose own options are not srun's; their number if in doubt."""
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        may_take_a_value = before.startswith("-") and "=" not in before and (before.startswith("--") or "/" not in word)
        if not word.startswith("-") and not may_take_a_value and executable(word, environment):
            return place
    return len(words)


def _with_flux_environment(words: list[str], preload: str) -> list[str]:
    if not words or words[0] not in _FLUX_STARTS:
        message = "flux starts programs with one of: " + ", ".join(f"flux {start}" for start in _FLUX_STARTS)
        raise ThalwegError(USAGE, message, "for example: thalweg run flux run -n 8 ./program")
    return [words[0], *([f"--env={PRELOAD}={preload}"] if preload else []), *words[1:]]
