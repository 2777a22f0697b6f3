// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/gathering.hpp"

#include "base/assertion.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace thalweg::mpi {

namespace {

// Of a rank in a round, and of all together: offsets are ints. Traces of a rank reach 100 MiB.
constexpr std::uint64_t round_bytes_of_rank = std::uint64_t{1} << 18;
constexpr std::uint64_t round_bytes_of_all = std::uint64_t{1} << 30;

} // namespace

std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own) {
  const bool root = runtime.world.rank == 0;
  const auto ranks = static_cast<std::size_t>(runtime.world.size);
  const MPI_Comm world = runtime.world.communicator;
  const std::uint64_t length = own.size();
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> lengths(root ? ranks : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  native.Igather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, world, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  native.Iallreduce(&length, &longest, 1, MPI_UINT64_T, MPI_MAX, world, &request);
  poll_request(&request, MPI_STATUS_IGNORE);

  const std::uint64_t part =
      std::max<std::uint64_t>(1, std::min(round_bytes_of_rank, round_bytes_of_all / ranks));
  std::vector<std::vector<std::uint8_t>> result(lengths.size());
  std::vector<int> counts(lengths.size());
  std::vector<int> offsets(lengths.size());
  for (std::uint64_t first = 0; first < longest; first += part) {
    const auto part_of = [&](std::uint64_t of) {
      return static_cast<int>(std::min(part, of - std::min(first, of)));
    };
    std::ranges::transform(lengths, counts.begin(), part_of);
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::vector<std::uint8_t> parts(root ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
    native.Igatherv(own.data() + std::min(first, length), part_of(length), MPI_BYTE, parts.data(),
                    counts.data(), offsets.data(), MPI_BYTE, 0, world, &request);
    poll_request(&request, MPI_STATUS_IGNORE);
    for (std::size_t rank = 0; rank < result.size(); ++rank) {
      const auto begin = parts.begin() + offsets[rank];
      result[rank].insert(result[rank].end(), begin, begin + counts[rank]);
    }
  }
  THALWEG_ASSERT(light, root == !result.empty());
  THALWEG_ASSERT(heavy, std::ranges::equal(result, lengths, {}, &std::vector<std::uint8_t>::size));
  return result;
}

} // namespace thalweg::mpi
