#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::mpi {

// Every rank's bytes on rank 0 of MPI_COMM_WORLD, by rank; nothing elsewhere. Called by all.
std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own);

// What follows goes along a binomial tree of messages of our own, not through the library's nonblocking
// collectives. Of those, an all-gather connects all ranks with all, and over TCP each connection makes every
// later look for messages dearer; and Open MPI, once it has run one, looks for more whenever it waits.

// Rank 0's bytes, on all ranks of MPI_COMM_WORLD; called by all.
void spread_bytes(void* data, std::size_t bytes);

// Every rank's row of as many bytes, on all ranks of MPI_COMM_WORLD, by rank; called by all.
std::vector<std::uint8_t> share_rows(std::span<const std::uint8_t> own);

} // namespace thalweg::mpi
