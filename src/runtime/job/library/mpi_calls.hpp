// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// MPI's functions as libraries that programs link use them: what fails is thrown.

#include "base/error.hpp"

#include <fmt/format.h>
#include <mpi.h>

namespace thalweg::job {

inline void must(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw Error(fmt::format("{} failed with MPI error {}", call, code), "see the MPI library's own message",
                thalweg_error_mpi);
}

} // namespace thalweg::job
