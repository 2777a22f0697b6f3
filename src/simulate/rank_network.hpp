#pragma once

// The network between the ranks of a program, and what messages cost on it.

#include "simulate/program.hpp"
#include "topology/interconnect.hpp"

#include <memory>
#include <vector>

namespace thalweg::simulate {

struct RankNetwork {
  std::shared_ptr<const topology::Interconnect> interconnect; ///< never null
  std::vector<topology::Place> nodes;                         ///< of each rank
  Ticks hop_latency = 0;                                      ///< of each link, on top of a message's latency
  /// Level `flow`: messages that cross a link at the same time share it. Else the network only delays.
  bool shares_links = true;

  bool is_remote(std::uint32_t a, std::uint32_t b) const { return nodes[a] != nodes[b]; }
  /// What the links add to a message's latency.
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
  /// Is it a flow?
  bool is_carried(std::uint32_t rank, const Operation& send) const {
    return !on_links_.empty() && network_->is_remote(rank, program_.target_of(rank, send));
  }

private:
  const Program& program_;
  const RankNetwork* network_;
  std::vector<MessageCost> on_links_; // empty: none is carried
};

} // namespace thalweg::simulate
