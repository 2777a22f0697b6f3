# SPDX-License-Identifier: BSD-3-Clause
"""nanobind for Spack, in the version that splits extensions from their part for each Python."""

from spack.package import *
from spack_repo.builtin.packages.py_nanobind.package import PyNanobind as Builtin


class PyNanobind(Builtin):
    """nanobind as Spack has it, and a newer version."""

    version("3.1.0", sha256="6661e3dc1434d78781ccf7913442d90361dab395c3424efadb63bbb6ddea7ea3")

    depends_on("python@3.10:", when="@3.1:", type=("build", "run"))
