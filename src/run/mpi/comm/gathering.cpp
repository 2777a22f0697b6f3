// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/gathering.hpp"

#include <numeric>

#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own) {
  const bool root = runtime.world.rank == 0;
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(root ? static_cast<std::size_t>(runtime.world.size) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  native.Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, runtime.world.communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::vector<std::uint8_t> all(root ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0);
  native.Igatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE, 0,
                  runtime.world.communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  std::vector<std::vector<std::uint8_t>> result;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const auto first = all.begin() + offsets[rank];
    result.emplace_back(first, first + lengths[rank]);
  }
  return result;
}

} // namespace thalweg::mpi
