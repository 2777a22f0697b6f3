// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::mpi {

/// Every rank's bytes on rank 0 of MPI_COMM_WORLD, by rank; nothing elsewhere. Called by all.
std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own);

} // namespace thalweg::mpi
