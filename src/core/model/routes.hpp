// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which links messages between nodes share, as far as it is known: a machine file may name the network's
// shape, and a list of hosts their places in it. Where the shape is not known, or does not fit the job,
// every node has a link of its own to a network that nobody contends for.

#include "topology/node_places.hpp"

#include <array>
#include <span>
#include <unordered_map>

namespace thalweg::model {

class Routes {
public:
  /// Whoever wants to tell people why routes are unknown asks topology::locate.
  Routes(const topology::NodePlaces& node_places, std::int32_t nodes);

  bool are_known() const { return is_known_; }
  std::size_t links() const { return network_.links().size(); }
  /// The links from node to node, in order; they hold until the next question.
  std::span<const std::int32_t> between(std::int32_t from, std::int32_t to);

private:
  explicit Routes(topology::LocatedNodes located, std::int32_t nodes);
  std::int32_t place(std::int32_t node) const {
    return is_known_ ? places_[static_cast<std::size_t>(node)] : node;
  }

  bool is_known_;
  topology::Network network_;
  std::vector<std::int32_t> places_;
  std::array<std::int32_t, 2> through_the_switch_ = {};
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> known_;
};

} // namespace thalweg::model
