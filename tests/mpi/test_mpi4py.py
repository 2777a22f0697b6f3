"""mpi4py's own collective tests: exactly the same tests pass under Thalweg as without it."""

import re

import pytest
from jobs import NATIVE, POLITE, Mode, run
from mpis import INSTALLED, MPIS, Mpi

FOLDER = INSTALLED / "mpi4py"
# mpi4py's wheel has an extension for each of these; the standard ABI has none yet.
TESTED = [mpi for mpi in MPIS if mpi.family != "mpiabi"]


def outcomes(mpi: Mpi, ranks: int, mode: Mode) -> dict[str, str]:
    """Outcome by name of test, as rank 0 tells it."""
    libraries = {"openmpi4": "libmpi.so.40", "mpich4": "libmpich.so.12"}
    default = "libmpi.so.40" if mpi.family == "openmpi" else "libmpi.so.12"
    library = str(mpi.library / default) if mpi.library else libraries[mpi.name]
    environment = {"MPI4PY_MPIABI": mpi.family, "MPI4PY_LIBMPI": library}
    if mpi.library:
        environment["LD_LIBRARY_PATH"] = str(mpi.library)
    program = [str(FOLDER / "bin" / "python"), str(FOLDER / "source" / "test" / "main.py"), "-v", "-i", "cco"]
    result = run(mpi, ranks, program, mode, environment=environment, seconds=400)
    # unittest's verbose lines come from every rank; a name with different outcomes keeps the worst.
    found: dict[str, str] = {}
    for name, outcome in re.findall(r"(test\w+ \([\w.]+\)) \.\.\. (ok|FAIL|ERROR|skipped)", result.err):
        if found.get(name, "ok") in {"ok", "skipped"}:
            found[name] = outcome
    assert found, result.explain()
    return found


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("mpi", TESTED, ids=lambda mpi: mpi.name)
def test_same_outcomes(mpi: Mpi, ranks: int) -> None:
    """The outcomes are those of the library alone."""
    natively, preloaded = outcomes(mpi, ranks, NATIVE), outcomes(mpi, ranks, POLITE)
    changed = {
        name: (natively.get(name), preloaded.get(name))
        for name in natively.keys() | preloaded.keys()
        if natively.get(name) != preloaded.get(name)
    }
    assert not changed
    assert "ok" in preloaded.values()
