// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is to be balanced, and the ways of doing it by name.

#include "balance/targets.hpp"

#include <array>

namespace thalweg::balancing {

/// A row of ranks with tasks. Equal on all ranks, like everything that decides.
struct Problem {
  std::vector<Tasks> loads;
  /// The ranks in the order in which they serve each other, such as a Hilbert curve's.
  std::vector<Rank> order;
  /// What the ranks do in the same time, in any unit; empty where they are alike.
  std::vector<Tasks> speeds = {};
  Spread spread = Spread::even;

  std::int32_t ranks() const { return static_cast<std::int32_t>(loads.size()); }
};

/// Fills in an empty order, and checks the rest. Throws Error for no ranks, loads or speeds below 0, more
/// than tasks_max of them together, speeds that are all 0 or not one a rank, unequal speeds with the capped
/// spread, and an order that does not have each rank once.
Problem checked(Problem problem);

enum class Scheme : std::uint8_t {
  none,
  sweep,
  alias,
  nested_sweep,
  nested_alias,
  alias_queued,
  alias_printed,
  diffusion
};

struct SchemeEntry {
  Scheme scheme;
  std::string_view name;
  std::string_view summary;
  std::string_view wins_when;
};

/// All schemes, simplest first.
std::span<const SchemeEntry> schemes();
std::string_view name(Scheme scheme);
/// Throws Error where no scheme is called so.
Scheme parse_scheme(std::string_view name);
Spread parse_spread(std::string_view name);

/// Can the scheme do it, in messages that all leave at once? The alias forms want ranks that are alike;
/// those two that follow the order only must not ask a rank for more than it has.
bool is_able(Scheme scheme, const Problem& problem);

/// The scheme's flow. It has to be able. O(ranks).
Flow flow_of(Scheme scheme, const Problem& problem);

} // namespace thalweg::balancing
