#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::mpi {

// Every rank's bytes on rank 0 of MPI_COMM_WORLD, by rank; nothing elsewhere. Called by all.
std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own);

// Every rank's row of as many bytes, on all ranks of MPI_COMM_WORLD, by rank; called by all. Goes up and down
// a binomial tree: libraries' own nonblocking all-gathers connect all ranks with all, and over TCP each
// connection makes every later look for messages dearer.
std::vector<std::uint8_t> share_rows(std::span<const std::uint8_t> own);

} // namespace thalweg::mpi
