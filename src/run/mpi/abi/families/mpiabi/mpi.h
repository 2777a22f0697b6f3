/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi_abi.h>
