# SPDX-License-Identifier: BSD-3-Clause
"""Rules that were exported, in jobs of Open MPI without Thalweg: which algorithm runs from which size on.

Open MPI's algorithms are functions that its libraries call by name, so a library that is preloaded sees which run.
"""

import subprocess
from pathlib import Path

import pytest

from support import Programs
from thalweg.rules import formats
from thalweg.rules.algorithms import Algorithm, algorithms, openmpi_call
from thalweg.rules.formats import Rule
from thalweg.trials.cases import OPERATIONS

RANKS = 4
SIZES = (504, 512, 4088, 4096)
FIRST, SECOND = SIZES[1], SIZES[3]

# Two algorithms of each operation that has sizes, and the functions that are them.
ALGORITHMS: dict[str, dict[str, Algorithm]] = {
    "allgather": {"bruck": Algorithm("bruck", 2), "ring": Algorithm("ring", 4)},
    "allreduce": {"nonoverlapping": Algorithm("nonoverlapping", 2), "ring": Algorithm("ring", 4)},
    "alltoall": {"pairwise": Algorithm("pairwise", 2), "bruck": Algorithm("modified_bruck", 3)},
    "broadcast": {"chain": Algorithm("chain", 2, 0), "knomial": Algorithm("knomial", 7)},
    "gather": {"binomial": Algorithm("binomial", 2), "linear_sync": Algorithm("linear_sync", 3)},
    "reduce": {"pipeline": Algorithm("pipeline", 3, 0), "redscat_gather": Algorithm("rabenseifner", 7)},
    "reduce_scatter": {"recursivedoubling": Algorithm("recursive_doubling", 2), "butterfly": Algorithm("butterfly", 4)},
    "scatter": {"binomial": Algorithm("binomial", 2), "linear_nb": Algorithm("linear_nb", 3)},
}

CALLER = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank = 0;
  const int sizes[] = {504, 512, 4088, 4096};
  int* in = calloc(1 << 16, sizeof *in);
  int* out = calloc(1 << 16, sizeof *out);
  MPI_Init(&count, &words);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
#define CALL(name, ...)                                   \\
  for (int i = 0; i < 4; ++i) {                           \\
    const int n = sizes[i] / sizeof(int);                 \\
    if (rank == 0) dprintf(1, "%s %d\\n", name, sizes[i]); \\
    __VA_ARGS__;                                          \\
  }
  CALL("allgather", MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm))
  CALL("allreduce", MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm))
  CALL("alltoall", MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm))
  CALL("broadcast", MPI_Bcast(in, n, MPI_INT, 0, comm))
  CALL("gather", MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, 0, comm))
  CALL("reduce", MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, 0, comm))
  CALL("reduce_scatter", MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm))
  CALL("scatter", MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, 0, comm))
  if (rank == 0) dprintf(1, "end 0\\n");
  MPI_Finalize();
  return 0;
}
"""

# As many arguments as any of them has: what a function does not have are words of the stack that it does not read.
WATCHER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int depth;
typedef long Function(long, long, long, long, long, long, long, long, long, long, long, long);
static long call(const char* name, Function* next, const long* a) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (depth == 0 && rank != NULL && strcmp(rank, "0") == 0)
    dprintf(1, "ran %s\\n", name);
  ++depth;
  const long status = next(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
  --depth;
  return status;
}
#define WATCH(name)                                                                                              \\
  long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) {    \\
    const long all[] = {a, b, c, d, e, f, g, h, i, j, k, l};                                                      \\
    return call(#name, (Function*)dlsym(RTLD_NEXT, #name), all);                                                 \\
  }
"""


def _library_of(program: str) -> str:
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return next(line.split()[2] for line in listing.splitlines() if "libmpi.so.40" in line)


@pytest.fixture(scope="module")
def watched(programs: Programs) -> tuple[str, str]:
    """Build the program and what sees its algorithms."""
    program = programs.build("calls_all", CALLER, "mpicc.openmpi")
    names = subprocess.run(
        ["nm", "-D", _library_of(program)], capture_output=True, text=True, check=True
    ).stdout.split()
    functions = sorted({name for name in names if name.startswith("ompi_coll_base_") and "_intra_" in name})
    lines = [f"WATCH({name})" for name in functions if "generic" not in name]
    watcher = programs.build("watcher.so", WATCHER + "\n".join(lines) + "\n", "cc", "-shared", "-fPIC")
    return program, watcher


def _ran(watched: tuple[str, str], rules: Path, environment: dict[str, str]) -> dict[tuple[str, int], str]:
    """Say which algorithm each call of the program ran on, which runs without Thalweg."""
    program, watcher = watched
    words = ["mpirun.openmpi", "--oversubscribe", "-n", str(RANKS), "-x", f"LD_PRELOAD={watcher}", program]
    chosen = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules),
        "OMPI_MCA_coll": "basic,libnbc,tuned,self",
    }
    done = subprocess.run(
        words, env={**environment, **chosen}, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, int], str] = {}
    call = ("", 0)
    for word, value in map(str.split, done.stdout.splitlines()):
        if word == "ran":
            found.setdefault(call, value.removeprefix(f"ompi_coll_base_{openmpi_call(call[0])}_intra_"))
        else:
            call = (word, int(value))
    return found


def test_rules_hold_from_the_units_that_they_were_found_for(
    watched: tuple[str, str], tmp_path: Path, environment: dict[str, str]
) -> None:
    """Just below of a rule's size and at it, for each operation; turned round, so that no default can pass for one."""
    runs = []
    for turned in (False, True):
        rules = {}
        for operation, known in ALGORITHMS.items():
            one, other = reversed(known.values()) if turned else known.values()
            rules[operation] = [Rule(FIRST, one), Rule(SECOND, other)]
        file = tmp_path / f"rules-{turned}"
        file.write_text(formats.openmpi_rules(rules, RANKS))
        runs.append(_ran(watched, file, environment))
    for operation, known in ALGORITHMS.items():
        names = list(known)
        for ran, (first, second) in zip(runs, (names, names[::-1]), strict=True):
            assert [ran.get((operation, size)) for size in SIZES[1:]] == [first, first, second], operation
        assert runs[0].get((operation, SIZES[0])) == runs[1].get((operation, SIZES[0])), operation
    chosen = {operation for operation in OPERATIONS if algorithms("openmpi", operation, RANKS)}
    assert chosen == {*ALGORITHMS, "barrier"}
