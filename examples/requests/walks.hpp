// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank's particles do with the tree's nodes, wherever these are.

#include "requests/tree.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::requests {

/// What a particle, of the rank that has it, wants to do with a node.
struct Visit {
  Node node = 0;
  std::uint32_t particle = 0;
};

/// The walks of a part's particles, each from the root. A node that is far away counts as its center of mass,
/// and so does a leaf; of others the children are visited (Barnes, Hut 1986).
class Walks {
public:
  /// A node is far away beyond its side * 100 / theta_percent.
  Walks(Tree const& tree, int part, int theta_percent);

  std::uint32_t size() const { return static_cast<std::uint32_t>(tree_.particles().size()); }
  /// How many visits wait for their nodes.
  std::uint64_t outstanding() const { return outstanding_; }
  /// Nodes of this rank that others were given, and of others that have come.
  std::uint64_t handled() const { return handled_; }

  /// Begins the walk of a particle. Visits of others' nodes go to `ask`, with these nodes' parts.
  template <typename Ask>
  void start(std::uint32_t particle, Ask ask) {
    visit(particle, 1, ask);
  }
  /// Goes on with what has come.
  template <typename Ask>
  void take(Visit const& visit, Moment const& moment, Ask ask) {
    --outstanding_;
    ++handled_;
    meet(visit.particle, visit.node, moment, ask);
  }
  Moment const& answer(Node node) {
    ++handled_;
    return tree_.at(node);
  }

  /// A sum over all particles of what they have added up.
  std::uint64_t hash() const;

private:
  template <typename Ask>
  void visit(std::uint32_t particle, Node node, Ask& ask) {
    int const part = tree_.part_of_node(node);
    if (part == part_) {
      meet(particle, node, tree_.at(node), ask);
      return;
    }
    ++outstanding_;
    ask(part, Visit{node, particle});
  }
  template <typename Ask>
  void meet(std::uint32_t particle, Node node, Moment const& moment, Ask& ask) {
    if (add_if_far(particle, node, moment))
      return;
    for (unsigned child = 0; child < 8; ++child)
      if (((moment.children >> child) & 1U) != 0)
        visit(particle, 8 * node + child, ask);
  }
  bool add_if_far(std::uint32_t particle, Node node, Moment const& moment);

  Tree const& tree_;
  std::int32_t part_;
  std::uint64_t theta_squared_; // times 10^4
  std::vector<std::int64_t> potentials_;
  std::uint64_t outstanding_ = 0;
  std::uint64_t handled_ = 0;
};

} // namespace thalweg::examples::requests
