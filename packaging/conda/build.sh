#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause

# The package for Python, then the libraries, the headers and the manual, from one folder of CMake. The wrappers have no
# family in their names, the sysroot has the oldest C library, and the agent of network cards needs libbpf.
set -euo pipefail

case $FLAVOR in
  openmpi) header=THALWEG_OPENMPI_INCLUDE_DIR ;;
  mpich) header=THALWEG_MPICH_INCLUDE_DIR ;;
esac
defines=(
  "CMAKE_INSTALL_LIBDIR=lib"
  "THALWEG_MPICC_$FLAVOR=$PREFIX/bin/mpicc"
  "THALWEG_MPIRUN_$FLAVOR=$PREFIX/bin/mpirun"
  "$header=$PREFIX/include"
  "THALWEG_NIC=OFF"
  "THALWEG_OLDEST_GLIBC="
)
settings=(--config-settings build-dir=build-conda)
for define in "${defines[@]}"; do settings+=(--config-settings "cmake.define.$define"); done
export CMAKE_BUILD_PARALLEL_LEVEL=$CPU_COUNT
"$PYTHON" -m pip install --no-deps --no-build-isolation "${settings[@]}" .
cmake --install build-conda --strip --prefix "$PREFIX"
