#pragma once

// Which links messages between nodes share, as far as it is known: a machine file may name the network's
// shape, and without one every node has a link of its own to a network that nobody contends for.

#include "machine/machine.hpp"
#include "topology/network.hpp"

#include <array>
#include <span>
#include <unordered_map>

namespace thalweg::model {

class Routes {
public:
  /// A shape that does not fit the number of nodes is taken for a star.
  Routes(const machine::Machine& machine, std::int32_t nodes);

  std::size_t links() const { return network_.links().size(); }
  /// The links from node to node, in order; they hold until the next question.
  std::span<const std::int32_t> between(std::int32_t from, std::int32_t to);

private:
  topology::Network network_;
  bool is_star_;
  std::vector<std::int32_t> up_;   // the link that leaves a node, for a star
  std::vector<std::int32_t> down_; // and the one that comes to it
  std::array<std::int32_t, 2> through_the_switch_ = {};
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> known_;
};

} // namespace thalweg::model
