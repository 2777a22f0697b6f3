# SPDX-License-Identifier: BSD-3-Clause
"""The part of nanobind for one Python, which extensions load: a folder of nanobind's own sources."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyNanobindBackend(PythonPackage):
    """Compiled nanobind backend for extensions built in split mode."""

    homepage = "https://nanobind.readthedocs.io"
    pypi = "nanobind/nanobind-3.1.0.tar.gz"

    license("BSD-3-Clause")

    version("1.0.0", sha256="6661e3dc1434d78781ccf7913442d90361dab395c3424efadb63bbb6ddea7ea3")

    depends_on("cxx", type="build")
    depends_on("cmake@3.17:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@0.10:", type="build")

    build_directory = "nanobind-backend"

    def url_for_version(self, version):
        """Name nanobind's sources, whatever the version of this part is."""
        return self.url
