// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thalweg::mpi {

/// Every rank's bytes on rank 0 of MPI_COMM_WORLD, by rank; nothing elsewhere. Called by all.
std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own);

/// The same for rank 0 to take one rank's after the other: it keeps those of some ranks at a time.
void gather_bytes(std::span<const std::uint8_t> own,
                  const std::function<void(const std::vector<std::uint8_t>&)>& take);

} // namespace thalweg::mpi
