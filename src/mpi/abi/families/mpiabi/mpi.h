#pragma once

#include <mpi_abi.h>
