// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/traffic_matrix.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace thalweg::mpi::observe {

namespace {

constexpr int max_rows = 1024;

} // namespace

TrafficRows traffic_rows(int ranks, int nodes) {
  THALWEG_ASSERT(light, ranks >= nodes && nodes > 0);
  if (ranks <= max_rows)
    return {.size = ranks};
  const int nodes_per_row = (nodes + max_rows - 1) / max_rows;
  return {
      .size = (nodes + nodes_per_row - 1) / nodes_per_row, .by_node = true, .nodes_per_row = nodes_per_row};
}

void TrafficMatrix::add(int rank, int node, const std::vector<SentTo>& sent) {
  const int own = rows_.of(rank, node);
  if (own >= rows_.size)
    return;
  if (groups_.size() <= static_cast<std::size_t>(own))
    groups_.resize(static_cast<std::size_t>(own) + 1, {-1, -1});
  auto& [first, last] = groups_[static_cast<std::size_t>(own)];
  first = first < 0 ? rank : std::min(first, rank);
  last = std::max(last, rank);
  for (const SentTo& one : sent) {
    const int from = one.is_read ? one.row : own;
    const int to = one.is_read ? own : one.row;
    const auto key = static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint32_t>(to);
    TrafficSum& sum = sums_.try_emplace(key, TrafficSum{from, to}).first->second;
    sum.bytes += one.bytes;
    sum.messages += one.messages;
    total_bytes_ += static_cast<double>(one.bytes);
  }
}

std::vector<TrafficSum> TrafficMatrix::heaviest(std::size_t limit) const {
  std::vector<TrafficSum> sums;
  for (const auto& [key, sum] : sums_)
    sums.push_back(sum);
  const auto weight = [](const TrafficSum& sum) {
    return std::tuple(sum.bytes, sum.messages, -sum.from, -sum.to);
  };
  std::ranges::sort(sums, std::greater(), weight);
  sums.resize(std::min(limit, sums.size()));
  std::ranges::sort(sums, {}, [](const TrafficSum& sum) { return std::pair(sum.from, sum.to); });
  return sums;
}

} // namespace thalweg::mpi::observe
