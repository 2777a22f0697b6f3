# SPDX-License-Identifier: BSD-3-Clause
"""pyelftools for Spack, in a version that Thalweg takes."""

from spack.package import *
from spack_repo.builtin.packages.py_pyelftools.package import PyPyelftools as Builtin


class PyPyelftools(Builtin):
    """pyelftools as Spack has it, and a newer version."""

    version("0.33", sha256="660d82dcbeb8e83d1702bd97f223f761625da06111c0cc988eac6b8ab0c1b61f")
