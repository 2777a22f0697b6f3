// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sent how much to whom, for the report: by ranks, in large jobs by nodes or by groups of these, so that
// rank 0 has room for it.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::mpi::observe {

/// What the rows of a job's matrix are: the same on all its ranks.
struct TrafficRows {
  int size = 0; ///< 0: nothing was counted
  bool by_node = false;
  int nodes_per_row = 1;

  int of(int rank, int node) const { return by_node ? node / nodes_per_row : rank; }
};

TrafficRows traffic_rows(int ranks, int nodes);

/// What a rank sent to the ranks of a row, or read from them, who have sent it then.
struct SentTo {
  int row = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  bool is_read = false;
};

struct TrafficSum {
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

class TrafficMatrix {
public:
  explicit TrafficMatrix(TrafficRows rows = {}) : rows_(rows) {}

  void add(int rank, int node, const std::vector<SentTo>& sent);
  const TrafficRows& rows() const { return rows_; }
  double total_bytes() const { return total_bytes_; }
  /// First and last rank that was added of each row.
  const std::vector<std::pair<int, int>>& groups() const { return groups_; }
  /// The heaviest, in the order of rows and columns.
  std::vector<TrafficSum> heaviest(std::size_t limit) const;

private:
  TrafficRows rows_;
  double total_bytes_ = 0;
  std::unordered_map<std::uint64_t, TrafficSum> sums_;
  std::vector<std::pair<int, int>> groups_;
};

} // namespace thalweg::mpi::observe
