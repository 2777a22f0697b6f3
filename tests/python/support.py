# SPDX-License-Identifier: BSD-3-Clause
"""Programs built for the tests."""

import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

MPI_SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
  int rank = 0;
  /* Before MPI starts: afterwards it holds the user's own libraries alone. */
  char preload[4096];
  const char* given = getenv("LD_PRELOAD");
  snprintf(preload, sizeof preload, "%s", given ? given : "-");
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* use = getenv("THALWEG_USE");
  printf("rank %d, preload %s, use %s, argument %s\\n", rank, preload, use ? use : "-",
         count > 1 ? words[1] : "-");
  MPI_Finalize();
  return count > 2 ? atoi(words[2]) : 0;
}
"""

# A program that is linked with its "MPI" statically, and one without any.
STATIC_SOURCE = "int MPI_Init(void) { return 0; }\nint main(void) { return MPI_Init(); }\n"
PLAIN_SOURCE = "int main(void) { return 0; }\n"

FOREIGN_SOURCE = "int MPI_Init(void) { return 0; }\n"
CALLER_SOURCE = "int MPI_Init(void);\nint main(void) { return MPI_Init(); }\n"


class Programs:
    """Builds small programs into one folder, each once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, name: str, source: str, *compiler: str) -> str:
        """Build a program once; another source or compiler of the same name gives another program."""
        folder = self.folder / hashlib.sha256("\0".join((source, *compiler)).encode()).hexdigest()[:12]
        path = folder / name
        if not path.exists():
            folder.mkdir(exist_ok=True)
            file = folder / f"{name}.c"
            file.write_text(source)
            subprocess.run(
                [compiler[0], "-o", path, file, *compiler[1:]], check=True, capture_output=True, env=plain_environment()
            )
        return str(path)

    def openmpi(self) -> str:
        return self.build("with_openmpi", MPI_SOURCE, "mpicc.openmpi")

    def mpich(self) -> str:
        return self.build("with_mpich", MPI_SOURCE, "mpicc.mpich")

    def of(self, family: str) -> str:
        return self.openmpi() if family == "openmpi" else self.mpich()

    def plain(self) -> str:
        return self.build("plain", PLAIN_SOURCE, "cc")

    def static(self) -> str:
        return self.build("static", STATIC_SOURCE, "cc", "-static")

    def library(self, soname: str) -> Path:
        """Build a library that poses as an MPI of that soname."""
        folder = self.folder / soname
        folder.mkdir(exist_ok=True)
        if not (folder / soname).exists():
            (folder / "library.c").write_text(FOREIGN_SOURCE)
            command = [
                "cc",
                "-shared",
                "-fPIC",
                f"-Wl,-soname,{soname}",
                "-o",
                str(folder / soname),
                str(folder / "library.c"),
            ]
            subprocess.run(command, check=True)
        return folder

    def linked(self, name: str, *sonames: str, runpath: bool = True) -> str:
        """Build a program linked with posing libraries, found by RUNPATH."""
        words = ["cc", "-Wl,--no-as-needed"]
        for soname in sonames:
            folder = self.library(soname)
            words += [f"-L{folder}", f"-l:{soname}", *([f"-Wl,-rpath,{folder}"] if runpath else [])]
        path = self.folder / name
        file = self.folder / f"{name}.c"
        file.write_text(CALLER_SOURCE)
        subprocess.run([words[0], "-o", path, file, *words[1:]], check=True)
        return str(path)

    def set_uid(self) -> str:
        """Copy an MPI program and give it the set-uid bit; where root builds it, another owner too."""
        path = self.folder / "set_uid"
        shutil.copy(self.mpich(), path)
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        path.chmod(path.stat().st_mode | stat.S_ISUID)
        return str(path)

    def script(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)


def plain_environment() -> dict[str, str]:
    """Give the environment without anything that would steer Thalweg, and with what Open MPI wants of root.

    First runs look at no machine in tests: they would take seconds, and choose what others do not expect.
    """
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("THALWEG_", "LD_PRELOAD", "OMPI_"))
    }
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return kept | consent | {"THALWEG_SETUP": "0"}


def examples(count: int) -> int:
    """Give how many examples hypothesis makes; THALWEG_TEST_EFFORT=100 makes minutes of seconds."""
    return count * int(os.environ.get("THALWEG_TEST_EFFORT", "1"))


Command = Callable[..., "subprocess.CompletedProcess[str]"]
