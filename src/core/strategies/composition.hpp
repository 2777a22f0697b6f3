// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Strategies made of strategies: mock-ups and two-level forms, whose stages the user may choose; and who
// leads in strategies of two levels: one rank of each node, or one of each socket.

#include "base/assertion.hpp"
#include "strategies/index.hpp"
#include "strategies/strategy.hpp"
#include "topology/node_groups.hpp"

#include <memory>
#include <span>

namespace thalweg::strategies {

/// A stage of a composed strategy: an operation, and the strategies of the index that may do it.
struct Stage {
  Operation operation;
  std::string_view name; ///< of the parameter that chooses
  std::span<const std::string_view> choices;
  std::string_view description;

  /// The parameter, proven at every choice; the first one is the default.
  Parameter parameter() const;
  std::string_view chosen(const Problem& whole) const {
    const std::int64_t value = whole.parameter(name);
    THALWEG_ASSERT(normal, value >= 0 && value < std::ssize(choices));
    return choices[static_cast<std::size_t>(value)];
  }
  /// The stage's problem: `ranks` ranks, units of `unit_bytes`, the whole's operator, and its segment and
  /// window where both strategies have them.
  Problem problem(const Problem& whole, std::int32_t ranks, std::int64_t unit_bytes) const;
  /// Why the chosen strategy cannot do it, or nothing.
  std::optional<std::string> unsupported_reason(const Problem& whole, std::int32_t ranks,
                                                std::int64_t unit_bytes) const;
  /// Pieces that the chosen strategy wants of a unit.
  std::int32_t pieces(const Problem& whole, std::int32_t ranks, std::int64_t unit_bytes) const;
  /// Runs the chosen strategy; problem (but its root and in_place), pieces and parameters of `sub` are filled
  /// in.
  void append(Builder& builder, schedule::Subproblem sub, std::int64_t unit_bytes) const;
};

/// The least number of pieces that is a multiple of all; if that is beyond reason, the largest of them.
std::int32_t common_pieces(std::initializer_list<std::int32_t> wanted);

/// All ranks 0 .. count-1.
std::vector<Rank> everybody(std::int32_t count);

/// Reduce-scatter of the builder's vector among `members` as a stage, member j's part being the j-th of as
/// many equal parts of the pieces; this rank's sum ends in its part of the output, also in place.
void append_vector_reduce_scatter(Builder& builder, const Stage& stage, const std::vector<Rank>& members);
/// The all-gather that undoes it, within the output.
void append_vector_allgather(Builder& builder, const Stage& stage, const std::vector<Rank>& members);
/// The blocks of part `part` of `parts` of the builder's vector in its output.
schedule::BlockList output_part(const Builder& builder, std::int32_t parts, std::int32_t part);

/// The parameter `level`: `node` or `socket`.
Parameter level_parameter();

/// The ranks by node or by socket, as the problem's `level` says. With a root given, it leads its group. Each
/// thread keeps what it found last, as the schedules of many ranks of one problem are made one after another.
std::shared_ptr<const topology::NodeGroups> leader_groups(const Problem& problem, Rank root = -1);

/// Why there cannot be a leader for each socket, or nothing.
std::optional<std::string> unsupported_level_reason(const Problem& problem);

} // namespace thalweg::strategies
