// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"
#include "topology/node_groups.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

/// A spanning tree of two levels: a tree of the nodes' leaders, and in each node a
/// tree under its leader. Shapes come from the parameters below; the root leads its node.
class TwoLevelTree {
public:
  explicit TwoLevelTree(const Problem& problem);

  topology::TreeNode node(Rank rank) const;
  /// The rank, then all below it, in the order in which their blocks travel.
  std::vector<Rank> subtree(Rank rank) const;

  /// `between`, `inside`, `radix` and `level`.
  static std::vector<Parameter> parameters();
  /// Those with standards for long messages, `segment` and `window`.
  static std::vector<Parameter> pipeline_parameters();

private:
  void append_members(std::int32_t group, std::vector<Rank>& ranks) const;
  /// A member counted from its group's leader on, and back.
  Rank member(std::int32_t group, Rank place) const;
  Rank place(Rank rank) const;
  std::int32_t size(std::int32_t group) const;
  /// A group counted from the root's on.
  std::int32_t absolute_group(std::int32_t relative) const;
  std::int32_t relative_group(Rank rank) const;

  topology::NodeGroups groups_;
  std::int32_t root_group_;
  topology::TreeShape between_;
  topology::TreeShape inside_;
  std::int32_t radix_;
};

} // namespace thalweg::strategies
