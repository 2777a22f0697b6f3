#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause

# Starts a rank on a host of the test's own making, one of so many: apart.sh HOSTS PROGRAM [ARGUMENTS...]. Ranks r and
# r + HOSTS share one. It is another host by its name alone, in a namespace of its own, which only root can make.
set -eu
hosts=$1
shift
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
exec unshare --uts sh -c 'hostname "$0" && exec "$@"' "apart-h$((rank % hosts))" "$@"
