# SPDX-License-Identifier: BSD-3-Clause
"""Install what the programs of the demo come in: Debian packages by scripts/prepare, the rest by pip."""

import subprocess
import sys
from collections.abc import Sequence

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.site import Site


def debian_packages(programs: Sequence[Program]) -> list[str]:
    """Name each package once, in order."""
    return sorted({package for program in programs for package in program.debian})


def pypi_packages(programs: Sequence[Program]) -> list[str]:
    """Name each requirement once, in order."""
    return sorted({package for program in programs for package in program.pypi})


def install(programs: Sequence[Program], site: Site) -> None:
    """Install what is missing; quick where nothing is."""
    _call([str(site.repository / "scripts" / "prepare"), *debian_packages(programs)])
    packages = pypi_packages(programs)
    stamp = site.wheels / "installed"
    wanted = "\n".join(packages)
    if not packages or (stamp.is_file() and stamp.read_text() == wanted):
        return
    _call([sys.executable, "-m", "venv", str(site.wheels)])
    pip = [str(site.wheels / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    _call([*pip, "install", *packages])
    stamp.write_text(wanted)


def _call(command: Sequence[str]) -> None:
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        message = f"installing the demo's programs failed with status {status}: {' '.join(command)}"
        remedy = "install by hand what scripts/packages-demo.txt lists, or use --no-install"
        raise ThalwegError(INSTALLATION, message, remedy)
