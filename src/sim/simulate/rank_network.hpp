// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The network between the ranks of a program, and what messages cost on it.

#include "simulate/packet/live_messages.hpp"
#include "simulate/program.hpp"
#include "topology/interconnect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::simulate {

/// Level `packet`: what the routers between the nodes are.
struct PacketLevel {
  /// Of these, rates are as messages cost, and the channels' delay is the network's hop_latency.
  packet::LiveOptions options = {};
  std::string routing =
      {}; ///< as packet::make_routing() knows it; empty: as the interconnect's own routes are
};

struct RankNetwork {
  std::shared_ptr<const topology::Interconnect> interconnect; ///< never null
  std::vector<topology::Place> nodes;                         ///< of each rank
  Ticks hop_latency = 0;                                      ///< of each link, on top of a message's latency
  /// Level `flow`: messages that cross a link at the same time share it. Else the network only delays.
  bool shares_links = true;
  /// Level `packet`, where it is given: they share it packet by packet.
  std::optional<PacketLevel> packets = std::nullopt;

  bool is_remote(std::uint32_t a, std::uint32_t b) const { return nodes[a] != nodes[b]; }
  /// What the links add to a message's latency, where it is no packets that they delay.
  Ticks latency(std::uint32_t from, std::uint32_t to) const {
    return hop_latency == 0 ? 0 : hop_latency * interconnect->hops(nodes[from], nodes[to]);
  }
};

/// What messages of a program cost, some of which the network carries.
class CostTable {
public:
  /// Keeps references; without a network what the program says. Throws Error where the program has more ranks
  /// than the network places.
  CostTable(const Program& program, const RankNetwork* network);

  const MessageCost& of(std::uint32_t rank, const Operation& send) const {
    return is_carried(rank, send) ? on_links_[send.cost] : program_.costs[send.cost];
  }
  /// Do links carry it, as a flow or as packets?
  bool is_carried(std::uint32_t rank, const Operation& send) const {
    return !on_links_.empty() && network_->is_remote(rank, program_.target_of(rank, send));
  }

private:
  const Program& program_;
  const RankNetwork* network_;
  std::vector<MessageCost> on_links_; ///< empty: none is carried
};

} // namespace thalweg::simulate
