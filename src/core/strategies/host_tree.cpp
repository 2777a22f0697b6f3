// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"

#include "base/assertion.hpp"
#include "topology/node_groups.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

Parameter host_tree_radix() {
  return {.name = "radix",
          .default_value = 8,
          .min = 2,
          .max = 32,
          .description = "how many nodes are below a node, and how many leaves below a leaf",
          .proven_at = {2, 3}};
}

Parameter host_tree_where() {
  return {.name = "where",
          .kind = ParameterKind::choice,
          .default_value = 0,
          .min = 0,
          .max = 1,
          .description = "switch: switches that aggregate join the nodes, where their agents know of some",
          .choices = {"switch", "card"}};
}

Parameter host_tree_sum() {
  return {.name = "sum",
          .kind = ParameterKind::choice,
          .default_value = 0,
          .min = 0,
          .max = 1,
          .description = "exact: sums of MPI_DOUBLE and MPI_FLOAT are rounded once, whatever the order",
          .choices = {"ordered", "exact"}};
}

namespace {

using topology::NodeGroups;
using topology::TreeNode;
using topology::TreeShape;

/// Nodes are known by their index in the order in which ranks first appear on them, and so are leaves.
class HostTree {
public:
  explicit HostTree(const Builder& b)
      : ranks_(topology::node_groups(b.ranks(), b.problem().nodes.get(), b.root())),
        root_(ranks_.group(b.root())), radix_(static_cast<std::int32_t>(b.parameter("radix"))) {
    std::vector<std::int32_t> leaves(static_cast<std::size_t>(ranks_.count()));
    THALWEG_ASSERT(light, ranks_.is_leader(b.root()));
    if (b.problem().leaves)
      for (std::size_t node = 0; node < leaves.size(); ++node)
        leaves[node] = (*b.problem().leaves)[static_cast<std::size_t>(ranks_.leaders[node])];
    nodes_ = topology::node_groups(ranks_.count(), &leaves, root_);
  }

  TreeNode node(Rank rank) const {
    if (!ranks_.is_leader(rank))
      return {.parent = ranks_.leader(rank)};
    const TreeNode among = among_nodes(ranks_.group(rank));
    TreeNode found;
    if (among.parent >= 0)
      found.parent = leader_of(among.parent);
    for (const Rank member : ranks_.members_with(rank))
      if (member != rank)
        found.children.push_back(member);
    for (const std::int32_t child : among.children)
      found.children.push_back(leader_of(child));
    return found;
  }

  std::vector<Rank> subtree(Rank rank) const {
    std::vector<Rank> found{rank};
    if (!ranks_.is_leader(rank))
      return found;
    for (const std::int32_t node : nodes_below(ranks_.group(rank)))
      for (const Rank member : ranks_.members[static_cast<std::size_t>(node)])
        if (member != rank)
          found.push_back(member);
    return found;
  }

private:
  TreeNode among_nodes(std::int32_t node) const {
    const std::int32_t leaf = nodes_.group(node);
    TreeNode found = topology::tree_node(TreeShape::kary, size(leaf), radix_, place(node));
    if (found.parent >= 0)
      found.parent = member(leaf, found.parent);
    for (std::int32_t& child : found.children)
      child = member(leaf, child);
    if (!nodes_.is_leader(node))
      return found;
    const TreeNode among_leaves =
        topology::tree_node(TreeShape::kary, nodes_.count(), radix_, from_root(leaf));
    if (among_leaves.parent >= 0)
      found.parent = member(absolute(among_leaves.parent), 0);
    for (const std::int32_t child : among_leaves.children)
      found.children.push_back(member(absolute(child), 0));
    return found;
  }

  // And the node itself.
  std::vector<std::int32_t> nodes_below(std::int32_t node) const {
    const std::int32_t leaf = nodes_.group(node);
    std::vector<std::int32_t> found;
    if (!nodes_.is_leader(node)) {
      for (const auto& [first, end] : topology::subtree(TreeShape::kary, size(leaf), radix_, place(node)))
        for (std::int32_t at = first; at < end; ++at)
          found.push_back(member(leaf, at));
      return found;
    }
    for (const auto& [first, end] :
         topology::subtree(TreeShape::kary, nodes_.count(), radix_, from_root(leaf)))
      for (std::int32_t at = first; at < end; ++at)
        for (std::int32_t one = 0; one < size(absolute(at)); ++one)
          found.push_back(member(absolute(at), one));
    return found;
  }

  Rank leader_of(std::int32_t node) const { return ranks_.leaders[static_cast<std::size_t>(node)]; }
  std::int32_t size(std::int32_t leaf) const {
    return static_cast<std::int32_t>(nodes_.members[static_cast<std::size_t>(leaf)].size());
  }
  // A node counted from its leaf's leader on, and back.
  std::int32_t place(std::int32_t node) const {
    const std::int32_t all = size(nodes_.group(node));
    return (nodes_.place(node) - nodes_.place(nodes_.leader(node)) + all) % all;
  }
  std::int32_t member(std::int32_t leaf, std::int32_t at) const {
    const std::int32_t first = nodes_.place(nodes_.leaders[static_cast<std::size_t>(leaf)]);
    return nodes_
        .members[static_cast<std::size_t>(leaf)][static_cast<std::size_t>((at + first) % size(leaf))];
  }
  // A leaf counted from the root's on, and back.
  std::int32_t from_root(std::int32_t leaf) const {
    return (leaf - nodes_.group(root_) + nodes_.count()) % nodes_.count();
  }
  std::int32_t absolute(std::int32_t counted) const {
    return (counted + nodes_.group(root_)) % nodes_.count();
  }

  NodeGroups ranks_; // by node
  NodeGroups nodes_; // by leaf: all on one where leaves are not known
  std::int32_t root_;
  std::int32_t radix_;
};

} // namespace

bool fits_devices(const Problem& problem) {
  const std::int64_t unit = problem.unit_bytes;
  switch (problem.operation) {
  case Operation::barrier:
    return true;
  case Operation::broadcast:
    return unit > 0 && unit <= device_message_bytes;
  case Operation::scatter:
    return unit > 0 && unit <= device_message_bytes / problem.ranks;
  case Operation::gather:
  case Operation::allgather:
    return unit > 0 && unit <= device_gather_bytes / problem.ranks;
  case Operation::reduce:
  case Operation::allreduce:
    return unit > 0 && unit <= device_reduction_bytes;
  default:
    return false;
  }
}

TreeNode host_tree_node(const Builder& b) {
  return HostTree(b).node(b.rank());
}

std::vector<Rank> host_subtree(const Builder& b, Rank rank) {
  return HostTree(b).subtree(rank);
}

} // namespace thalweg::strategies
