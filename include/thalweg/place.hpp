// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Placing for C++: thalweg/place.h with exceptions (thalweg/error.hpp), and weights from any range.
//
//     MPI_Comm ring = thalweg::reorder(communicator, {{left, bytes}, {right, bytes}});
//     MPI_Comm near = thalweg::reorder(communicator, bytes_by_rank);  // a std::map, say

#include "thalweg/error.hpp"
#include "thalweg/place.h"

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

/// A rank's traffic to another: see thalweg_weight.
struct weight : thalweg_weight {
  /// So many bytes to a rank, in a phase of the program.
  constexpr weight(int to, double bytes_sent, int in_phase = 0) : thalweg_weight{to, bytes_sent, in_phase} {}
  /// An entry of a map, say.
  template <typename Rank, typename Bytes>
  constexpr weight(const std::pair<Rank, Bytes>& entry)
      : weight(static_cast<int>(entry.first), static_cast<double>(entry.second)) {}
};

/// See thalweg_reorder_options.
struct reorder_options : thalweg_reorder_options {};

/// The result of placing: see thalweg_reordering.
struct reordering : thalweg_reordering {};

/// Collective. A new communicator of the same ranks, to be freed with MPI_Comm_free(); the result is written
/// to `found`, if that is not null.
template <std::ranges::input_range Weights>
requires std::constructible_from<weight, std::ranges::range_reference_t<Weights>>
[[nodiscard]] MPI_Comm reorder(MPI_Comm communicator, Weights&& weights, const reorder_options& options = {},
                               reordering* found = nullptr) {
  std::vector<thalweg_weight> given;
  for (auto&& one : weights)
    given.push_back(weight(one));
  MPI_Comm reordered = MPI_COMM_NULL;
  detail::check(thalweg_reorder(communicator, given.data(), given.size(), &options, &reordered, found));
  return reordered;
}

/// The same, with weights in braces.
[[nodiscard]] inline MPI_Comm reorder(MPI_Comm communicator, std::initializer_list<weight> weights,
                                      const reorder_options& options = {}, reordering* found = nullptr) {
  return reorder<std::initializer_list<weight>>(communicator, std::move(weights), options, found);
}

} // namespace thalweg
