// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks share: the cores of a machine, the links between nodes, and which links messages have in common.

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "machine/machine.hpp"
#include "topology/network.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::model {

/// Hands a machine's cores to ranks, first come, first served. With a core for each rank nobody ever waits.
class Cores {
public:
  Cores(std::int32_t cores, std::int32_t ranks, double switch_seconds)
      : is_oversubscribed_(ranks > cores), switch_seconds_(switch_seconds) {
    THALWEG_ASSERT(light, cores > 0 && switch_seconds >= 0);
    for (std::int32_t core = 0; is_oversubscribed_ && core < cores; ++core)
      idle_.push_back(-1);
  }

  /// The delay after which the rank runs, or nothing if it must wait until a core is released.
  std::optional<double> request(Rank rank) {
    if (!is_oversubscribed_)
      return 0;
    if (idle_.empty()) {
      waiting_.push_back(rank);
      return std::nullopt;
    }
    return take(rank);
  }

  struct Grant {
    Rank rank;
    double delay;
  };
  /// The rank gives its core away; who gets it now, if anybody waits.
  std::optional<Grant> release(Rank rank) {
    if (!is_oversubscribed_)
      return std::nullopt;
    idle_.push_back(rank);
    if (waiting_.empty())
      return std::nullopt;
    const Rank next = waiting_.front();
    waiting_.pop_front();
    return Grant{next, take(next)};
  }

private:
  double take(Rank rank) {
    THALWEG_ASSERT(normal, !idle_.empty());
    const auto own = std::find(idle_.begin(), idle_.end(), rank);
    const bool stays = own != idle_.end();
    idle_.erase(stays ? own : idle_.begin());
    return stays ? 0 : switch_seconds_;
  }

  bool is_oversubscribed_;
  double switch_seconds_;
  std::vector<Rank> idle_; ///< who ran last on each idle core
  std::deque<Rank> waiting_;
};

/// A link that carries one message after another. After a pause it lets a burst through at once, as a token
/// bucket does.
class Link {
public:
  /// The time at which a message that comes at `time` has passed, when it holds the link for `service`;
  /// messages must come in order of time.
  double pass(double time, double service, double burst) {
    THALWEG_ASSERT(normal, time >= 0 && service >= 0 && burst >= 0);
    free_ = std::max(free_, time - burst) + service;
    return std::max(time, free_);
  }

private:
  /// As if an earlier collective had just ended: whatever bucket the link has is empty.
  double free_ = 0;
};

/// How much slower a message is that goes so many hops than one of the pair of nodes that was measured, where
/// the probe knew the network. Nearer pairs have less latency, but are not faster by the byte.
struct Distance {
  double latency = 0;
  double per_byte = 0;

  Distance() = default;
  Distance(const machine::LevelCosts& network, std::int64_t hops) {
    const auto further = static_cast<double>(hops - network.hops);
    latency = further * network.hop.value;
    per_byte = std::max(0.0, further) * network.hop_per_byte.value;
  }
};

/// Which links messages between nodes share, as far as it is known: a machine file may name the network's
/// shape, and a list of hosts their places in it. Where the shape is not known, or does not fit the job,
/// every node has a link of its own to a network that nobody contends for.
class Routes {
public:
  /// Whoever wants to tell people why routes are unknown asks topology::locate.
  Routes(const topology::NodePlaces& node_places, std::int32_t nodes)
      : Routes(topology::locate(node_places, nodes), nodes) {}

  bool are_known() const { return is_known_; }
  std::size_t links() const { return network_.links().size(); }
  /// How much slower messages are from node to node for their distance.
  Distance distance(const machine::Machine& machine, std::int32_t from, std::int32_t to) const {
    const machine::LevelCosts& network = machine.at(machine::Level::network);
    return is_known_ && network.hops > 0 ? Distance(network, network_.hops(place(from), place(to)))
                                         : Distance();
  }
  /// The links from node to node, in order; they hold until the next question.
  std::span<const std::int32_t> between(std::int32_t from, std::int32_t to) {
    const std::int32_t first = place(from);
    const std::int32_t last = place(to);
    if (first == last || network_.shape() == "star") {
      through_the_switch_ = {network_.link_from(first), network_.link_to(last)};
      return through_the_switch_;
    }
    const auto [entry, fresh] =
        known_.try_emplace(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last));
    if (fresh)
      entry->second = network_.route(first, last);
    return entry->second;
  }

private:
  Routes(topology::LocatedNodes located, std::int32_t nodes)
      : is_known_(located.network.has_value()),
        network_(is_known_ ? std::move(*located.network) : topology::Network("star", nodes)),
        places_(std::move(located.places)) {}
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
