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

struct Lengths {
  std::uint64_t own = 0;
  std::vector<std::uint64_t> of_rank; // on rank 0
};

Lengths gather_lengths(std::uint64_t own) {
  Lengths lengths{own, std::vector<std::uint64_t>(
                           runtime.world.rank == 0 ? static_cast<std::size_t>(runtime.world.size) : 0)};
  MPI_Request request = MPI_REQUEST_NULL;
  native.Igather(&lengths.own, 1, MPI_UINT64_T, lengths.of_rank.data(), 1, MPI_UINT64_T, 0,
                 runtime.world.communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  return lengths;
}

// What ranks from `first` to below `end` give, on rank 0; the others take part with nothing.
std::vector<std::vector<std::uint8_t>> gather_some(std::span<const std::uint8_t> own, const Lengths& lengths,
                                                   std::size_t first, std::size_t end) {
  const MPI_Comm world = runtime.world.communicator;
  const auto rank = static_cast<std::size_t>(runtime.world.rank);
  const bool root = rank == 0;
  const std::uint64_t own_length = rank >= first && rank < end ? lengths.own : 0;
  std::uint64_t longest = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  native.Iallreduce(&own_length, &longest, 1, MPI_UINT64_T, MPI_MAX, world, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  const std::uint64_t part =
      std::max<std::uint64_t>(1, std::min(round_bytes_of_rank, round_bytes_of_all / (end - first)));
  std::vector<std::vector<std::uint8_t>> result(root ? end - first : 0);
  std::vector<int> counts(lengths.of_rank.size());
  std::vector<int> offsets(counts.size());
  for (std::uint64_t begin = 0; begin < longest; begin += part) {
    const auto part_of = [&](std::uint64_t of) {
      return static_cast<int>(std::min(part, of - std::min(begin, of)));
    };
    for (std::size_t index = first; root && index < end; ++index)
      counts[index] = part_of(lengths.of_rank[index]);
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::vector<std::uint8_t> parts(root ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
    native.Igatherv(own.data() + std::min(begin, own_length), part_of(own_length), MPI_BYTE, parts.data(),
                    counts.data(), offsets.data(), MPI_BYTE, 0, world, &request);
    poll_request(&request, MPI_STATUS_IGNORE);
    for (std::size_t index = 0; index < result.size(); ++index) {
      const auto from = parts.begin() + offsets[first + index];
      result[index].insert(result[index].end(), from, from + counts[first + index]);
    }
  }
  return result;
}

} // namespace

std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own) {
  const auto ranks = static_cast<std::size_t>(runtime.world.size);
  const Lengths lengths = gather_lengths(own.size());
  std::vector<std::vector<std::uint8_t>> result = gather_some(own, lengths, 0, ranks);
  THALWEG_ASSERT(light, (runtime.world.rank == 0) == !result.empty());
  THALWEG_ASSERT(heavy, std::ranges::equal(result, lengths.of_rank, {}, &std::vector<std::uint8_t>::size));
  return result;
}

void gather_bytes(std::span<const std::uint8_t> own,
                  const std::function<void(const std::vector<std::uint8_t>&)>& take) {
  constexpr std::size_t ranks_at_once = 256;
  const auto ranks = static_cast<std::size_t>(runtime.world.size);
  const Lengths lengths = gather_lengths(own.size());
  for (std::size_t first = 0; first < ranks; first += ranks_at_once)
    for (const std::vector<std::uint8_t>& one :
         gather_some(own, lengths, first, std::min(ranks, first + ranks_at_once)))
      take(one);
}

} // namespace thalweg::mpi
