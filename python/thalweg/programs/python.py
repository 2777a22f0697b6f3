# SPDX-License-Identifier: BSD-3-Clause
"""Python programs: which MPI library mpi4py would load in a given interpreter."""

import os
import re
from collections.abc import Mapping

from thalweg.errors import PROGRAM
from thalweg.programs.elf import Elf, loaded_libraries, read_elf
from thalweg.programs.families import FAMILIES, LoadedMpi, UnknownMpiError, loaded_mpi

# Runs in the program's interpreter. A build of mpi4py for one MPI has one extension module linked with it; the wheels
# have one for each ABI and choose as their own code says, so that code is asked. It has mapped the library that it
# found; where the user named the ABI (MPI4PY_MPIABI) it looks for none, and the module that it takes says which.
_PROBE = """
import importlib.util, json, sys
spec = importlib.util.find_spec("mpi4py")
answer = {"found": spec is not None, "module": "", "mapped": [], "problem": "", "interpreter": sys.executable}
if spec is not None:
    try:
        extension = importlib.util.find_spec("mpi4py.MPI")
        answer["module"] = extension.origin if extension is not None else ""
        from mpi4py import _mpiabi
        _mpiabi._get_mpiabi()
    except ImportError:
        pass
    except Exception as problem:
        answer["problem"] = str(problem)
    with open("/proc/self/maps") as maps:
        answer["mapped"] = sorted({line.split()[-1] for line in maps if ".so" in line})
print(json.dumps(answer))
"""

_REMEDY = "name it with --mpi, or to mpi4py in MPI4PY_LIBMPI"


def is_python(path: str) -> bool:
    """Tell an interpreter by its name, or by where its symbolic link leads."""
    names = (os.path.basename(path), os.path.basename(os.path.realpath(path)))
    return any(re.fullmatch(r"(python|pypy)\d*(\.\d+)*t?", name) for name in names)


def python_mpi(interpreter: str, environment: Mapping[str, str]) -> LoadedMpi | None:
    """Find the MPI that mpi4py loads under an interpreter; None where mpi4py is not installed."""
    import json  # noqa: PLC0415 - for Python programs alone
    import subprocess  # noqa: PLC0415

    try:
        probe = subprocess.run(
            [interpreter, "-c", _PROBE], env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        answer = json.loads(probe.stdout)
    except (OSError, subprocess.SubprocessError, json.JSONDecodeError) as error:
        message = f"{interpreter} does not tell which MPI its mpi4py uses: {error}"
        raise UnknownMpiError(PROGRAM, message, _REMEDY) from error
    if not answer["found"]:
        return None
    program = f"mpi4py of {interpreter}"
    sonames = [soname for family in FAMILIES for soname in family.sonames]
    mapped = {_soname(path, sonames): path for path in answer["mapped"]}
    if found := loaded_mpi(program, mapped):
        return found
    linker = read_elf(os.path.realpath(answer["interpreter"]))
    if answer["module"] and linker is not None:
        return loaded_mpi(program, loaded_libraries(Elf(answer["module"], ""), environment, linker.interpreter))
    raise UnknownMpiError(PROGRAM, f"{program} finds no MPI library: {answer['problem'] or 'none is linked'}", _REMEDY)


def _soname(path: str, sonames: list[str]) -> str:
    name = os.path.basename(path)
    return next((soname for soname in sonames if name == soname or name.startswith(soname + ".")), name)
